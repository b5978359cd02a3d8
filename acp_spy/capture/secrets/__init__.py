"""
What in a line is a secret, and what stands for it afterwards.

    shape vendors shapes   how secrets look: what a shape is, and all of them
    names                  names whose value is a secret, whatever it looks like
    places                 where in an ACP message secrets stand
    persons                home folders and user names
    key_block              a private key that comes line by line
    glance                 whether a line is worth a closer look
    look                   what in a text is a secret by its look
    runs                   texts that come in pieces, put together
    find                   all of these together: a line in, the secrets in it out
    pseudonyms             the same secret, the same placeholder

A secret is a stretch of bytes. What is around it stays as it was sent.
"""
