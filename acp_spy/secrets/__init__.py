"""
Secrets in a capture: what is one, and what replaces it.

    patterns            options of the user, checked: what both the command and `redact` use
    option_matches      which of these have matched, and what they have allowed
    redactor            record in, record out with placeholders
    redact              a whole capture, for programs
    file_report         file in, a line for each secret in it out
    explanation         what was masked, where and why
    odd_values          what was left although it looks odd
    finder              line in, the secrets in it out: asks all of the following
    prefilter           quick check whether a line may hold a secret at all
    similar_lines       lines that differ from an earlier one in their text only
    message_names       what messages call things, in any version and dialect of ACP
    json_places         where in an ACP message secrets are
    json_grids          grids in JSON: a list with the names of columns, and one for each row
    secret_names        names whose value is a secret, such as `apiKey`: the one vocabulary
    named_values        words of a command line, lines of variables and headers
    listed_words        command lines and pairs that are lists in JSON
    plain_views         what a text was before a program printed it
    shape_search        what looks like a secret, wherever it is
    keyword_index       which shapes a short text may hold
    shape vendor_shapes common_shapes   what a shape is, and all of them
    file_shapes printed_shapes prompt_shapes   more of them: files, output, what people write
    call_shapes         more of them: what a program gives to a call that hashes a password
    call_arguments      more of them: what is known by its place among the arguments of a call
    grammars            what is read, not only matched: all of the following
    assignments         a name, what is between, and a value, in any language
    assignment_names    where the name of a secret begins, and what it says
    assigned_values     where the value of a name ends, and whether it is one
    bare_passwords      where a password without quotes ends, by what is around it
    substitutions       the parts of `s/OLD/NEW/`, each of which may have a name and a value
    default_values      what is used if a secret is not set
    default_expressions   the literal after an operator or in a call that a secret is given
    line_breaks         where the value of a name is in the next line
    secret_stores       what stores and files of secrets have under names that say nothing
    section_keys        a `key` that only the section around it names
    said_values         values in sentences, after prompts, in the line below
    asked_values        what an interpreter prints below the line that asks for a secret
    asking_commands     commands that print a secret, and the line below them
    command_lines       programs, and which of their options take a password
    tables              CSV, Markdown, the output of databases: a column of secrets
    column_names        how the names of columns with secrets begin
    aligned_tables      tables whose columns are aligned with blanks
    html_tables         tables in HTML
    sql_rows            rows whose columns a statement of SQL names
    expressions         regular expressions that are compiled when they are first used
    values              where a value ends, and whether it is one
    generated_passwords   where one without quotes ends that has signs in it
    encoded_text        texts in base64, in hexadecimal digits, in UTF-16, and keys in two halves
    learned_values      secrets found once, then searched for everywhere, also cut short
    private_key_block   a private key that comes line by line
    persons             home folders and user names
    home_folders        where the name of a home folder begins and ends
    split_secrets       secrets in streamed text, split over several frames
    chunks              of which text a message has a piece
    growing_texts       output that is sent again, longer, and was cut within a secret
    pieces              texts in pieces, and where in their lines a secret is
    terminal_outputs    the output of a terminal in version 2, which is in base64
    short_form          a line without the images in it
    command_outputs     what a command prints that asks for a secret, in another message
    answered_questions  an answer that is nothing but the secret that was asked for
    answered_forms      the answer to a form that asks for a secret
    secret              a secret: a stretch of bytes in a line
    placeholders        the same secret, the same placeholder

What is around a secret stays as it was sent.
"""
