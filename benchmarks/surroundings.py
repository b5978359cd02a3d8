"""
What is around a secret stays as it is, in whatever form a program prints the text.

`python -m benchmarks.surroundings` puts texts with secrets in pairs of the forms of
`benchmarks.printed_forms`, at random, for `--seconds`. It prints where something but a secret has
been changed, and where redacting again gives something else. With `--set`, the texts are those of
a set of the corpus, and a secret is what is found in the text itself. One that is missed is not
counted here.
"""

import argparse
import itertools
import json
import random
import re
import time
from collections import Counter

from acp_spy.secrets.finder import Finder
from acp_spy.secrets.placeholders import PLACEHOLDER
from benchmarks.printed_forms import FORMS
from benchmarks.secrets import SEED, SETS, WEIGHTS, Place, filled, redacted

GONE = "\0"
_SECRET = re.compile(r"«(.*?)»", re.DOTALL)
_KEY = re.compile(
    r"(-----BEGIN [A-Z ]*-----).*?(-----END )", re.DOTALL
)  # its lines are not counted
# In double angles: the secrets.
TEXTS = {
    "an environment": "DB_PASSWORD=«⟨16⟩»\nHOST=db\nAPI_TOKEN=«⟨24⟩»\n",
    ".netrc": "machine api.example.com login bob password «⟨16⟩»\nmachine b.example.com login al"
    " password «⟨12⟩»\n",
    ".netrc in lines": "machine h2.example.com\n  login al\n  password «⟨16⟩»\n\nmachine b\n",
    ".pgpass": "db.example.com:5432:shop:app:«⟨16⟩»\n*:5432:*:root:«⟨20⟩»\n",
    "YAML": "smtp:\n  user: app\n  password: «⟨16⟩»\n  host: mail-1.example.com\n",
    "headers": "GET /v1 HTTP/1.1\nAuthorization: Bearer «⟨24⟩»\nX-Api-Key: «⟨24⟩»\nAccept: a/b\n",
    "a URL": "url postgres://app:«⟨16⟩»@db.example.com:5432/shop\nok done\n",
    "curl": "curl -u bob:«⟨16⟩» https://x.example/v1\nok done\n",
    "mysql": "mysql -u root -p«⟨16⟩» shop\nok done\n",
    "AWS": "[default]\naws_access_key_id = «AKIA⟨upper 16⟩»\naws_secret_access_key = «⟨40⟩»\n"
    "region = eu-west-1\n",
    "Markdown": "| user | password |\n| --- | --- |\n| bob | «⟨16⟩» |\n| al | «⟨12⟩» |\nthe end\n",
    "CSV": "user,password,role\nbob,«⟨16⟩»,admin\nal,«⟨20⟩»,dev\n",
    "a sentence": "the password is «⟨16⟩»\nok done\n",
    "JavaScript": 'const apiKey = "«⟨24⟩»";\nconst n = 1\n',
    "a shell": "export A_SECRET='«⟨16⟩»'\nexport B=1\n",
    "a cookie": "Set-Cookie: «sid=⟨32⟩; Path=/; HttpOnly»\nAccept: x\n",
    "a remote": "remote https://«ghp_⟨36⟩»@github.com/a/b\nok done\n",
    "a command": "$ op read op://prod/db/password\n«⟨16⟩»\n$ ls\n",
    "a command in a pipe": "$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n"
    "«⟨16⟩»\n$ ls\n",
    "a kubeconfig": "clusters:\n- name: a\n  cluster:\n    certificate-authority-data: "
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURCVENDQWUyZ0F3SUJBZ0lJ\nusers:\n- name: al\n"
    "  user:\n    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo⟨120⟩=»\n",
    "Kubernetes": "- name: DB_PASSWORD\n  value: «⟨16⟩»\n- name: HOST\n  value: db\n",
    "a private key": "-----BEGIN PRIVATE KEY-----\n«⟨64⟩\n⟨64⟩\n⟨50⟩»\n-----END PRIVATE KEY-----\n",
    "a private key between": "FILE=x\n-----BEGIN RSA PRIVATE KEY-----\n«⟨64⟩\n⟨64⟩\n⟨64⟩\n⟨20⟩»\n"
    "-----END RSA PRIVATE KEY-----\nAFTER=1\n",
    "a store": "$ sops -d prod.yaml\nsmtp: «⟨16⟩»\nhost: mail-1.example.com\nkey: «⟨24⟩»\n",
    "a prompt": "$ psql -U app shop\nPassword for user app: «⟨16⟩»\npsql (16.2)\n",
    "SQL": "CREATE USER app IDENTIFIED BY '«⟨16⟩»';\nGRANT ALL ON shop.* TO app;\n",
    "Python": 'client = Client(api_key="«⟨24⟩»", timeout=30)\nprint(client.name)\n',
    "XML": '<server id="a">\n  <username>al</username>\n  <password>«⟨16⟩»</password>\n</server>\n',
    "TOML": '[db]\nhost = "db.example.com"\npassword = "«⟨16⟩»"\nport = 5432\n',
    "properties": "spring.datasource.username=app\nspring.datasource.password=«⟨16⟩»\nx.y=1\n",
    "nothing": "import os\ndef main(argv):\n    return 1\nok 12 tests passed in 3.41s\n"
    "pass rate: 98.2%\n"
    "id: 3f2b8c1e-7a4d-4e9b-9c1f-2d8e6a5b4c3d\nhost: db-1.example.com\n",
}


def places(seed=SEED):
    """Return the texts, spelled out."""
    dice = random.Random(seed)
    for title, text in TEXTS.items():
        spelled = filled(text, dice)
        yield Place(title, _SECRET.sub(r"\1", spelled), _SECRET.findall(spelled))


def in_corpus(name):
    """Return the texts of a set, with what is found in them."""
    for group in (*WEIGHTS, "look_alikes"):
        for place in SETS[name](group):
            if not place.title.startswith("message "):
                raw = place.text.encode()
                found = Finder().find_in_text(raw)
                secrets = [raw[each.start : each.end].decode() for each in found]
                if not any("\n" in each for each in secrets):  # a form has something between
                    yield Place(place.title, place.text, secrets)


def changed(place, *forms):
    """Return what the text looks like, printed and redacted, if more than its secrets differs."""
    printed = place.text
    for form in forms:
        printed = FORMS[form](printed)
    done = redacted(Place(place.title, printed, []))
    left = PLACEHOLDER.sub(GONE.encode(), done.encode()).decode()
    if _without(left, place.secrets) != _without(printed, place.secrets):
        return done
    again = redacted(Place(place.title, done, []))
    return "" if again == done else f"{done} is, redacted again, {again}"


def _without(text, secrets):
    for secret in sorted(secrets, key=len, reverse=True):
        for spelled in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]):
            text = text.replace(spelled, GONE)
    return _KEY.sub(rf"\1{GONE}\2", text)


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surroundings")
    parser.add_argument("--set", choices=SETS, help="otherwise the texts of this file")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default=SEED)
    options = parser.parse_args()
    texts = [*(in_corpus(options.set) if options.set else places(options.seed))]
    pairs = [(one,) for one in FORMS] if options.set else [*itertools.permutations(FORMS, 2)]
    tries = [*itertools.product(texts, pairs)]
    random.Random(options.seed).shuffle(tries)
    until = time.monotonic() + options.seconds
    wrong = Counter()
    tried = 0
    for place, forms in tries:
        if time.monotonic() > until:
            break
        tried += 1
        if done := changed(place, *forms):
            wrong[place.title] += 1
            print(f"{place.title}: {', in '.join(forms)}\n    {place.text!r}\n    {done!r}")
    print(f"{wrong.total()} of {tried} differ", *map(_counted, wrong.most_common()), sep="\n")


def _counted(title_and_number):
    title, number = title_and_number
    return f"{number:5} {title}"


if __name__ == "__main__":
    main()
