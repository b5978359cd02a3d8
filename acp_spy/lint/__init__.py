"""What is wrong in the traffic, who must fix it, and how."""
