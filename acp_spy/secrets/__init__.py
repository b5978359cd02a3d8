"""
What in a line is a secret, and what stands for it afterwards.

    names                  names whose value is a secret, whatever it looks like: the one vocabulary
    shape vendors shapes   how secrets look: what a shape is, and all of them
    naming                 whether what stands before a value names a secret
    places context         where in an ACP message secrets stand, and what must be known for it
    texts                  words of a command line, lines of variables and headers
    persons                home folders and user names
    key_block              a private key that comes line by line
    glance                 whether a line is worth a closer look
    look                   what in a text is a secret by its look
    learned                what was known by its place once, and is looked for everywhere
    find                   all of these together: a line in, the secrets in it out
    runs                   texts that come in pieces, put together
    pseudonyms             the same secret, the same placeholder

A secret is a stretch of bytes. What is around it stays as it was sent.
"""
