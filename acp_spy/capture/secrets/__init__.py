"""
What in a line is a secret, and what stands for it afterwards.

    shape shapes vendors   how secrets look, wherever they stand
    names                  names whose value is a secret, whatever it looks like
    places                 where in an ACP message secrets stand
    json_text              the strings and numbers of a JSON text, each with its place in the bytes
    find                   all of these together: a line in, the secrets in it out
    pseudonyms             the same secret, the same placeholder

A secret is a stretch of bytes. What is around it stays as it was sent.
"""
