"""Secrets are masked where they stand, and what only looks like one is not."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surveyor.secrets import mask_bytes, mask_diff, mask_text, mask_values
from surveyor.secrets.files import is_secret_file
from tests.secrets.planting import Plant, plants

LEAST_SHARE = 0.95


def leaks(some: list[Plant]) -> list[Plant]:
    return [one for one in some if one.secret in mask_bytes(one.text.encode(), one.path).decode()]


@pytest.mark.parametrize("seed", [1, 2])
def test_nearly_all_of_500_planted_secrets_are_gone(seed: int) -> None:
    some = plants(500, seed)
    assert len({one.kind for one in some}) >= 30
    left = leaks(some)
    share = 1 - len(left) / len(some)
    assert share >= LEAST_SHARE, (share, Counter(one.kind for one in left), left[:20])


def test_no_kind_is_left_alone() -> None:
    some = plants(500, 3)
    planted, left = Counter(one.kind for one in some), Counter(one.kind for one in leaks(some))
    assert {
        kind: f"{left[kind]}/{planted[kind]}" for kind in left if left[kind] > planted[kind] / 4
    } == {}


@pytest.mark.parametrize("plant", plants(100, 4), ids=lambda one: f"{one.kind}-{one.path}")
def test_lines_and_columns_stay(plant: Plant) -> None:
    masked = mask_bytes(plant.text.encode(), plant.path)
    assert [len(line) for line in masked.split(b"\n")] == [
        len(line) for line in plant.text.encode().split(b"\n")
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "password = get_password()\n"),
        ("a.py", "def login(user: str, password: str) -> str:\n    return hash(password)\n"),
        ("a.py", "password=password, token=self.token2, secret=cfg.secret_1\n"),
        ("a.py", 'password = os.environ["DB_PASSWORD"]\n'),
        ("a.py", 'parser.add_argument("--password", help="the password of the user")\n'),
        ("a.py", 'TOKEN_TYPES = ("password", "client_credentials", "refresh_token")\n'),
        ("a.py", 'PASSWORD_FIELD = "password_field1"\n'),
        ("a.py", 'raise ValueError("token: expected 12 digits")\n'),
        ("a.py", "token = tokens[i + 1]\nkey = keys2\npasswd = arg1\n"),
        ("a.py", 'field = forms.CharField(label="Password", widget=PasswordInput)\n'),
        ("a.ts", "interface A { password: string; apiKey?: string | null; token: Token2 }\n"),
        ("a.ts", "const token = await this.tokens.next1();\n"),
        ("a.js", 'const passwordInput = document.querySelector("#password1");\n'),
        ("a.yaml", "password: ${DB_PASSWORD}\ntoken: {{ .Values.token2 }}\n"),
        ("a.yaml", "passwordSecretRef:\n  name: db-secret-1\n"),
        ("a.yaml", "password: <your-password>\napi_key: xxxxxxxxxxxxxxxxxxxx\n"),
        ("a.env", "PASSWORD=changeme\nTOKEN=your-token-here-123\nSECRET=$OTHER\n"),
        ("a.json", '{"password": "string", "token": "example-token-12345"}\n'),
        ("a.html", '<input type="password" name="pass1" placeholder="Password">\n'),
        ("a.md", "The password is stored in the keyring; tokens expire after 30d.\n"),
        ("a.md", "See https://user:password@host/ and postgres://user:pass@localhost/db\n"),
        ("a.go", "func New(password string, token *Token) *Client { return nil }\n"),
        ("a.c", "static int auth_key_len = 16; token = next_token(&p);\n"),
        ("a.rs", "pub struct Login { pub password: SecretString, token: Option<Token> }\n"),
        ("a.html", '<script integrity="sha512-' + "aB3" * 28 + 'Zz==" src="x.js"></script>\n'),
        ("a.py", 'commit = "3f2504e04f8911d39a0c0305e82c3301aabbccdd"\n'),
        ("a.py", 'if "-----BEGIN RSA PRIVATE KEY-----" in text:\n    return load(text, "x" * 3)\n'),
        ("a.py", 'HEADERS = {"Authorization": f"Bearer {token}"}\n'),
        ("a.properties", "label.password=Mot de passe\nlabel.token=Jeton\n"),
    ],
)
def test_code_that_only_speaks_of_secrets_stays(path: str, text: str) -> None:
    assert mask_bytes(text.encode(), path).decode() == text


def test_letters_that_make_no_words_are_a_password_and_names_are_none() -> None:
    drawn = "ns" + "CGRlrw" + "Z"
    assert drawn not in mask_text(f'password = "{drawn}"', "a.py")
    assert mask_text('password = "newUserForm"', "a.py") == 'password = "newUserForm"'


def test_a_diff_is_masked_as_its_file_is() -> None:
    diff = "@@ -1,2 +1,2 @@\n-password: hunter22\n+password: tiger4711\n db: main"
    assert (
        mask_diff(diff, "a.yaml")
        == "@@ -1,2 +1,2 @@\n-password: ********\n+password: *********\n db: main"
    )


def test_the_middle_of_a_key_in_a_diff_is_masked() -> None:
    line = plants(100, 5)
    body = next(one.secret for one in line if one.kind == "pem")
    assert body not in mask_diff(f"@@ -3 +3 @@\n-{body}\n+x", "a.py")


def test_members_are_masked_by_their_names() -> None:
    assert mask_values({"password": "tiger4711", "n": 1, "x": ["password: tiger4711"]}) == {
        "password": "*********",
        "n": 1,
        "x": ["password: *********"],
    }


def test_notebooks_stay_valid() -> None:
    some = [one for one in plants(500, 6) if one.path.endswith(".ipynb")]
    assert some
    for one in some:
        json.loads(mask_text(one.text, one.path))


@pytest.mark.parametrize(
    "path",
    [
        ".env", ".env.production", "prod.env", "app/.env.local", "kubeconfig", ".kube/config",
        ".docker/config.json", ".npmrc", ".pypirc", ".netrc", "_netrc", "id_rsa",
        "deploy_id_ed25519",
        ".aws/credentials", "terraform.tfstate", "prod.tfvars", "prod.auto.tfvars.json", "a.kdbx",
        "service-account.json", "my-project-firebase-adminsdk-x1.json", "server.key", "cert.pem",
        "client_secret_123.apps.json", ".git-credentials", ".htpasswd", "secrets.yaml",
        "db-secrets.yml", "store.jks", "sftp-config.json", "/home/u/.ssh/work_key", "key.pem.bak",
        ".config/gcloud/access_tokens.db", "C:\\Users\\u\\.aws\\credentials", "ID_RSA", ".ENV",
    ],
)  # fmt: skip
def test_files_that_keep_secrets(path: str) -> None:
    assert is_secret_file(path)


@pytest.mark.parametrize(
    "path",
    [
        "secrets.py", "src/secrets/mod.rs", "environment.py", "env.py", "id_rsa.pub", "keys.go",
        "docs/credentials.md", "config.json", "package.json", "tokenizer.json", "secret_test.go",
        "credentials.go", "key.ts", ".env.d.ts", "service_account.py", "environment.ts",
    ],
)  # fmt: skip
def test_files_that_do_not(path: str) -> None:
    assert not is_secret_file(path)


@given(st.text(max_size=300), st.sampled_from(["a.py", "a.yaml", "a.md", None]))
def test_any_text_keeps_its_length(text: str, path: str | None) -> None:
    assert len(mask_text(text, path)) == len(text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", 'echo "db.corp.io:5432:shop:bob:@" > ~/.pgpass\n'),
        ("a.sh", "cat > ~/.pgpass <<E\n*:*:*:bob:@\nE\n"),
        ("a.sh", "htpasswd -b .htpasswd bob @\n"),
        ("a.sh", "echo @ | docker login -u bob --password-stdin\n"),
        ("a.sh", "ldapsearch -D cn=admin -w @ -b dc=x\n"),
        ("a.sh", "smbclient //h/s -U bob%@\n"),
        ("a.sh", "az login --service-principal -u x -p @ --tenant t\n"),
        ("a.php", "<?php $pdo = new PDO($dsn, 'root', '@');\n"),
        ("a.php", "<?php $c = mysqli_connect($host, $user, '@');\n"),
        ("a.js", "jwt.sign(payload, 'rPhkCex32@ioI6blAqUxWjG')\n"),
        ("a.py", "jwt.encode(payload, 'xwDK7oJq@TiDRaVzFLXd', algorithm='HS256')\n"),
        ("a.py", "psycopg2.connect('host=h user=u password=@ dbname=d')\n"),
        ("a.rb", "config.secret_key_base = '7e96712256@e24424370e5f'\n"),
        ("a.ini", "[smtp]\nuser=a\npass=@\n"),
        ("a.ovpn", "<auth-user-pass>\nbob\n@\n</auth-user-pass>\n"),
        ("a.conf", 'network={\n  psk="@"\n}\n'),
        ("a.txt", "contraseña: @\nmot de passe : @\n"),
        ("a.py", 'H = "bob:$apr1$Jacl7mU5$6vvGWgU@X1c6fvL4v5Httle"\n'),
        ("a.sql", "VALUES ('bob', '$2b$12$PuQwMMP5RRRoMMdUoEGS@D6BJ9uS7fWOHW1jEMR7XZeA46UuV');\n"),
        ("shadow.txt", "root:$6$PVwRrEVQ$s6OKaHpPCYOXvNT@01Q87GGkZ6DQSTkWKPAMWNSbj:1:0:9:7:::\n"),
    ],
)
def test_credentials_of_tools_are_masked(path: str, text: str) -> None:
    core = "Qx7vT2mKp9"
    assert core not in mask_bytes(text.replace("@", core).encode(), path).decode()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.txt", "src/main.c:5432:warning:unused:variable\n10.0.0.1:5432:a:b\n"),
        ("a.js", "jwt.verify(token, publicKey)\njwt.sign(payload, options.secretKey)\n"),
        ("a.sh", "echo $PASSWORD | docker login --password-stdin\n"),
        ("a.php", "$pdo = new PDO($dsn, $user, $password);\n"),
        ("a.py", "connect('host=h user=u password=%s dbname=d' % password)\n"),
        ("a.pl", 'my $x = "$1$2$name$other";\n'),
        ("a.txt", "senha: obrigatória\n"),
    ],
)
def test_what_stands_where_a_tool_s_credentials_would_is_left(path: str, text: str) -> None:
    assert mask_bytes(text.encode(), path).decode() == text
