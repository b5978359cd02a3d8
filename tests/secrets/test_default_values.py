"""What is used if a secret is not set: in references, templates, and after operators and calls."""

import pytest

from tests.secrets.test_grammars import left_of


@pytest.mark.parametrize("password", ["hunter3439", "Sommer2024", "letmein!", "q7Zk2Vw9Xn4R"])
@pytest.mark.parametrize(
    "text",
    [
        # of Spring, Quarkus, OmegaConf, Compose and shells
        "spring.datasource.password=${DB_PASSWORD:§}",
        "password: ${DB_PASSWORD:§} # local",
        '  password: "${DB_PASSWORD:§}"',
        '@Value("${db.password:§}") String pw;',
        "password: ${oc.env:DB_PASSWORD,§}",
        'password: "${oc.env:DB_PASSWORD, §}"',
        "POSTGRES_PASSWORD: ${DB_PASSWORD:-§}",
        "password = ${env:DB_PASSWORD:-§}",
        ': "${DB_PASSWORD:=§}"',
        'DB_PASSWORD="${DB_PASSWORD-§}"',
        "ENV DB_PASSWORD=${PW:-§}",  # only what it is given to says what it is
        # of templates
        'password: {{ env "DB_PASSWORD" | default "§" }}',
        "password: \"{{ db_password | default('§') }}\"",
        "db_pass: \"{{ lookup('env', 'X') | default('§', true) }}\"",
        'password: {{ default "§" .Values.db.password }}',
        '@ConfigProperty(name = "db.password", defaultValue = "§") String password;',
        # of programs
        'val p = System.getenv("DB_PASSWORD") ?: "§"',
        "$p = getenv('DB_PASS') ?: '§';",
        "$p = $_ENV['DB_PASS'] ?? '§';",
        "const p = process.env.DB_PASSWORD ? process.env.DB_PASSWORD : '§';",
        'password = os.environ.get("X") or "§"',
        'p = os.environ["DB_PASSWORD"] if "DB_PASSWORD" in os.environ else "§"',
        'let p = env::var("DB_PASSWORD").unwrap_or("§".into());',
        'let p = env::var("DB_PASSWORD").unwrap_or(String::from("§"));',
        'let p = env::var("DB_PASSWORD")\n    .unwrap_or_else(|_| "§".to_string());',
        'let p = cfg.password.clone().unwrap_or_else(|| "§".into());',
        'Optional.ofNullable(System.getenv("DB_PASSWORD")).orElse("§");',
        'Optional.ofNullable(config.getPassword()).orElseGet(() -> "§");',
        'System.getenv().getOrDefault("DB_PASSWORD", "§");',
        'password: <%= ENV.fetch("DB_PASSWORD") { "§" } %>',
        'password: System.get_env("X") || "§",',
        'cmp.Or(os.Getenv("DB_PASSWORD"), "§")',
        'val p = sys.env.get("DB_PASSWORD").getOrElse("§")',
        'let p = ProcessInfo.processInfo.environment["DB_PASSWORD"] ?? "§"',
        "my $p = $ENV{DB_PASSWORD} || '§';",
        '$p = if ($env:DB_PASSWORD) { $env:DB_PASSWORD } else { "§" }',
        'password = get(ENV, "DB_PASSWORD", "§")',
        'password <- Sys.getenv("DB_PASSWORD", unset = "§")',
    ],
)
def test_the_default_of_a_secret_is_found(text, password):
    assert left_of(text.replace("§", password)) == text.replace("§", "*")


@pytest.mark.parametrize(
    "text",
    [
        "password: ${DB_PASSWORD}, ${DB_PASSWORD:}, ${DB_PASSWORD:-}",
        "DB_PASSWORD=${DB_PASSWORD:?the variable DB_PASSWORD2 is not set}",
        'echo "${DB_PASSWORD:+is1set}"',
        "password: ${DB_PASSWORD:${OTHER_PASSWORD:}}",
        "password: ${DB_PASSWORD:-$PGPASSWORD2}",
        "echo ${PASSWORD:0:8} ${PASSWORD:1} ${PASSWORD: -4}",
        '@Value("${db.password:#{null}}")',
        "password: ${vault:kv/app1}, ${ssm:/prod/pass1}",
        "token: ${TOKEN_FILE:/run/secrets/token1}",
        "export DB_PASSWORD=${DB_PASSWORD-$OTHER1}",
        "password: {{ db_password | default('') }}, {{ db_password | default(omit) }}",
        'password: {{ .Values.password | default "changeme" }}',
        'key: {{ .Values.admin.password | default "jenkins-admin-password" }}',
        'title: {{ .Values.title | default "release2024" }}',
        'val p = System.getenv("DB_PASSWORD") ?: getDefault()',
        'val p = System.getenv("DB_PASSWORD") ?: error("DB_PASSWORD2 is not set")',
        "interface A { password?: 'text1' | 'text2' }",
        'val host = System.getenv("DB_HOST") ?: "localhost1"',
        'Optional.ofNullable(System.getenv("DB_PASSWORD")).orElse(null);',
        'let p = env::var("DB_PASSWORD").unwrap_or_default();',
        'let p = env::var("DB_PASSWORD").unwrap_or_else(|_| panic!("no DB_PASSWORD set1"));',
        'let h = env::var("DB_HOST").unwrap_or("localhost1".into());',
        'ENV.fetch("DB_PASSWORD") { raise "missing DB_PASSWORD1" }',
        'if (password) { "text12" }',
        "'passwords' => env('AUTH_PASSWORD_BROKER', 'users'),",
        'let kind = if is_password { hidden } else { "text12" };',
        "type = 'password' if hidden else 'text1'",
        "type={showPassword ? 'text1' : 'password'}",
    ],
)
def test_what_is_no_literal_of_a_secret_stays(text):
    assert left_of(text) == text
