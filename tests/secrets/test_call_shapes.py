"""Passwords that a program gives as a literal to a call that hashes them, or compares a hash."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024", "letmein!", "letmein"])
@pytest.mark.parametrize(
    "text",
    [
        "await bcrypt.hash('§', 10)",
        'bcrypt.hashSync("§", bcrypt.genSaltSync(8))',
        "await bcrypt.compare('§', user.password)",
        'await argon2.hash("§")',
        'await argon2.verify(hash, "§")',
        'pwd_context.hash("§")',
        "bcrypt.hashpw(b'§', bcrypt.gensalt())",
        'bcrypt.hashpw("§".encode("utf-8"), salt)',
        "u.password_hash = generate_password_hash('§', method='scrypt')",
        "check_password_hash(user.password_hash, '§')",
        'make_password("§")',
        "password_hash('§', PASSWORD_BCRYPT)",
        "password_verify('§', $hash)",
        "'password' => Hash::make('§'),",
        "BCrypt::Password.create('§')",
        'bcrypt.GenerateFromPassword([]byte("§"), bcrypt.DefaultCost)',
        'bcrypt.CompareHashAndPassword(hash, []byte("§"))',
        'passwordEncoder.encode("§")',
        'passwordEncoder.matches("§", hash)',
        'user.setPassword(encoder.encode("§"));',
        'BCrypt.hashpw("§", BCrypt.gensalt())',
        'BCrypt.Net.BCrypt.Verify("§", hash)',
        "$this->passwordHasher->hashPassword($user, '§')",
        'await userManager.CreateAsync(user, "§");',
        "crypto.scryptSync('§', salt, 64)",
        "hashlib.pbkdf2_hmac('sha256', b'§', salt, 100000)",
        'signInWithEmailAndPassword(auth, "bob@example.com", "§")',
    ],
)
def test_a_literal_that_is_hashed_or_compared_is_found(text, password):
    assert left_of(text.replace("§", password)) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        "bcrypt.hash(password, 10), bcrypt.hash(req.body.password, 10)",
        "bcrypt.compare(req.body['password'], user['hash1'])",
        "generate_password_hash(form.password.data, method='pbkdf2:sha256')",
        "make_password(None), make_password(data['password1'])",
        "password_hash($password, PASSWORD_BCRYPT), Hash::make($input['password1'])",
        "bcrypt.GenerateFromPassword([]byte(password), 14)",
        "bcrypt.hash('password', 10), check_password_hash(h, 'wrong')",
        'tokenizer.encode("hunter3439"), encoder.encode("hunter3439")',
        'hashlib.sha256(b"hunter3439"), hash("hunter3439"), user.create("hunter3439")',
        "bcrypt.hash(`${user}${password}1`, 10)",
    ],
)
def test_a_call_that_hashes_something_else_stays(text):
    assert left_of(text) == text
