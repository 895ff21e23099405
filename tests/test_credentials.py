"""What counts as a secret, what does not, and what is left of one when it is shown.

Every credential here is invented, and put together from pieces so that no scanner takes it for a real one.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_magic.credentials import find, mask, patterns

MIXED = "a1B2"
HEX = "a1b2"
UPPER = "A1B2"
HEADER = "eyJ" + "hbGciOiJIUzI1NiJ9"
CLAIMS = "eyJ" + "zdWIiOiIxIn0"


def _pem(word: str) -> str:
    return "-----BEGIN " + word + "-----\n"


# kind, what stands before the secret, the secret, what stands behind it
SECRETS = [
    pytest.param("an AWS access key", "id ", "AK" + "IA" + UPPER * 4, ".", id="aws-access-key"),
    pytest.param("an AWS access key", "", "AS" + "IA" + UPPER * 4, "", id="aws-session-key"),
    pytest.param("an AWS secret key", "AWS_SECRET_ACCESS_KEY=", MIXED * 10, "", id="aws-secret-key"),
    pytest.param("a Google key", "maps: ", "AI" + "za" + MIXED * 9, "", id="google-api-key"),
    pytest.param("a Google key", "", "GOC" + "SPX-" + MIXED * 7, "", id="google-oauth-secret"),
    pytest.param("an Azure key", "AccountName=x;AccountKey=", MIXED * 21 + "==", ";End=y", id="azure-account-key"),
    pytest.param("an Azure signature", "https://x.net/c?sv=1&sig=", MIXED * 10 + "%3D", "", id="azure-sas"),
    pytest.param("a DigitalOcean token", "", "dop" + "_v1_" + HEX * 16, "", id="digitalocean"),
    pytest.param("a Cloudflare token", "", "cf" + "ut_" + MIXED * 12, "", id="cloudflare"),
    pytest.param("a password or token", "CLOUDFLARE_API_TOKEN=", MIXED * 10, "", id="cloudflare-assigned"),
    pytest.param("a Databricks token", "", "da" + "pi" + HEX * 8, "", id="databricks"),
    pytest.param("a Vault token", "", "hv" + "s." + MIXED * 8, "", id="vault"),
    pytest.param("a Doppler token", "", "dp" + ".pt." + MIXED * 10, "", id="doppler"),
    pytest.param("a 1Password token", "", "op" + "s_eyJ" + MIXED * 20, "", id="1password"),
    pytest.param("an age secret key", "", "AGE-SECRET" + "-KEY-1" + UPPER * 14, "", id="age"),
    pytest.param("a GitHub token", "push with ", "gh" + "p_" + MIXED * 9, " please", id="github"),
    pytest.param("a GitHub token", r"line\n", "gh" + "o_" + MIXED * 9, r"\nline", id="github-in-escaped-text"),
    pytest.param("a GitHub token", "", "gh" + "s_" + "123_" + HEADER + "." + MIXED * 9, "", id="github-stateless"),
    pytest.param("a GitHub token", "", "github" + "_pat_" + MIXED * 10 + "_" + MIXED, "", id="github-fine-grained"),
    pytest.param("a GitLab token", "", "gl" + "pat-" + MIXED * 5, "", id="gitlab"),
    pytest.param("a GitLab token", "", "gl" + "dt-" + MIXED * 5, "", id="gitlab-deploy"),
    pytest.param("an Atlassian token", "", "AT" + "BB" + MIXED * 8, "", id="bitbucket-app-password"),
    pytest.param("an Atlassian token", "", "AT" + "CTT3" + MIXED * 10, "", id="bitbucket-access-token"),
    pytest.param("a PyPI token", "", "py" + "pi-" + MIXED * 15, "", id="pypi"),
    pytest.param("an npm token", "", "np" + "m_" + MIXED * 9, "", id="npm"),
    pytest.param("a RubyGems key", "", "ruby" + "gems_" + HEX * 12, "", id="rubygems"),
    pytest.param("a crates.io token", "", "ci" + "o" + MIXED * 8, "", id="crates-io"),
    pytest.param("an Anthropic key", "", "sk-" + "ant-api03-" + MIXED * 9, "", id="anthropic"),
    pytest.param("an OpenRouter key", "", "sk-" + "or-v1-" + HEX * 16, "", id="openrouter"),
    pytest.param("an OpenAI key", "", "sk-" + "proj-" + MIXED * 9, "", id="openai-project"),
    pytest.param("an OpenAI key", "the key is ", "sk-" + MIXED * 12, "", id="openai"),
    pytest.param("a Hugging Face token", "`", "h" + "f_" + MIXED * 9, "`", id="hugging-face"),
    pytest.param("a model provider's key", "", "gs" + "k_" + MIXED * 10, "", id="groq"),
    pytest.param("a model provider's key", "", "xa" + "i-" + MIXED * 12, "", id="xai"),
    pytest.param("a model provider's key", "", "r8" + "_" + MIXED * 9, "", id="replicate"),
    pytest.param("a model provider's key", "", "pp" + "lx-" + MIXED * 12, "", id="perplexity"),
    pytest.param("a Weights & Biases key", "", "wan" + "db_v1_" + MIXED * 9, "", id="wandb"),
    pytest.param("a password or token", "WANDB_API_KEY=", HEX * 10, "", id="wandb-assigned"),
    pytest.param("a Kaggle token", "", "KG" + "AT_" + HEX * 8, "", id="kaggle"),
    pytest.param("a Slack token", "", "xo" + "xb-" + "1" * 12 + "-" + MIXED * 5, "", id="slack-bot"),
    pytest.param("a Slack token", "", "xa" + "pp-1-" + UPPER * 5, "", id="slack-app"),
    pytest.param(
        "a webhook address", "https://hooks.slack" + ".com/services/", "T1/B1/" + MIXED * 6, "", id="slack-hook"
    ),
    pytest.param(
        "a webhook address", "https://discord" + ".com/api/webhooks/", "123/" + MIXED * 15, "", id="discord-hook"
    ),
    pytest.param("a Discord token", "", "M" + MIXED * 6 + ".Gx1y2z." + MIXED * 8, "", id="discord-bot"),
    pytest.param("a Telegram bot token", "bot ", "123456789" + ":AA" + MIXED * 9, "", id="telegram"),
    pytest.param("a Stripe key", "", "sk" + "_live_" + MIXED * 6, "", id="stripe-live"),
    pytest.param("a Stripe key", "", "sk" + "_test_" + MIXED * 6, "", id="stripe-test"),
    pytest.param("a Stripe key", "", "wh" + "sec_" + MIXED * 8, "", id="stripe-webhook"),
    pytest.param("a Square token", "", "sq0" + "atp-" + MIXED * 6, "", id="square"),
    pytest.param("a Shopify token", "", "shp" + "at_" + HEX * 8, "", id="shopify"),
    pytest.param("a SendGrid key", "", "S" + "G." + MIXED * 6 + "." + MIXED * 10, "", id="sendgrid"),
    pytest.param("a Twilio key", "TWILIO_API_KEY=", "S" + "K" + HEX * 8, "", id="twilio"),
    pytest.param("a Mailgun key", "", "ke" + "y-" + HEX * 8, "", id="mailgun"),
    pytest.param("a Grafana token", "", "gl" + "sa_" + MIXED * 8 + "_" + HEX * 2, "", id="grafana"),
    pytest.param("a Sentry token", "", "sn" + "trys_" + MIXED * 15, "", id="sentry"),
    pytest.param("a JSON web token", "cookie ", HEADER + "." + CLAIMS + "." + MIXED * 5, "", id="jwt"),
    pytest.param("a JSON web token", "", HEADER + ".." + MIXED * 4 + "." + MIXED * 4 + "." + MIXED * 4, "", id="jwe"),
    pytest.param("a private key", _pem("RSA PRIVATE KEY"), MIXED * 16 + "\n" + MIXED, "\n-----END", id="pem"),
    pytest.param("a private key", _pem("OPENSSH PRIVATE KEY"), MIXED * 16, "", id="openssh-without-end"),
    pytest.param("a private key", _pem("PRIVATE KEY"), MIXED * 2, "\n-----END PRIVATE KEY-----", id="short-pem"),
    pytest.param("a private key", _pem("PGP PRIVATE KEY BLOCK") + "Version: 2.4\n\n", MIXED * 16, "", id="pgp"),
    pytest.param("a private key", '"-----BEGIN ' + r"PRIVATE KEY-----\n", MIXED * 16, r'\n-----END"', id="pem-in-json"),
    pytest.param("a password in a URL", "postgres://bob:", "hunter2", "@db:5432/app", id="database-url"),
    pytest.param("a password in a URL", "https://user:", "password", "@example.com/", id="weak-url-password"),
    pytest.param("a password in a URL", "redis://:", "s3cret", "@cache", id="url-without-user"),
    pytest.param("an authorization header", "Authorization: Bearer ", MIXED * 4, "", id="bearer-header"),
    pytest.param("an authorization header", "Authorization: Basic ", "dXNlcjpw" + "YXNz", "", id="basic-header"),
    pytest.param("an authorization header", "send Bearer ", MIXED * 6, " with it", id="bearer"),
    pytest.param("a password or token", 'api_key = "', "abc123" + "def456", '"', id="assigned-api-key"),
    pytest.param("a password or token", '{"token": "', "abc123" + "def456", '"}', id="json-token"),
    pytest.param("a password or token", "secret: ", "s3cr3t" + "value", "", id="yaml-secret"),
    pytest.param("a password or token", "DB_PASS=", "hunter2", "", id="assigned-pass"),
    pytest.param("a password or token", "http://localhost:8888/?token=", HEX * 12, "", id="jupyter-url"),
    pytest.param("a password", "DB_PASSWORD=", "hunter2", "\nHOST=db", id="assigned-password"),
    pytest.param("a password", "PASSWORD=", "swordfish", "", id="assigned-plain-word"),
    pytest.param("a password", "Server=db;Password=", "swordfish", ";Encrypt=yes", id="connection-string"),
    pytest.param("a password", "my password is ", "hunter2", ".", id="sentence"),
    pytest.param("a password", "my password is ", "swordfish", " and I like it", id="plain-word-sentence"),
    pytest.param("a password", "the wifi password is ", "correct-horse", "", id="hyphenated-sentence"),
    pytest.param("a password", "the password for db.example.com is ", "hunter2", "", id="password-for"),
    pytest.param("a password", "I changed my password to ", "hunter2", ", finally", id="changed-to"),
    pytest.param("a password", "**Password:** ", "Sup3r!", "", id="markdown"),
    pytest.param("a password", "password: '", "sword fish", "'", id="quoted-words"),
    pytest.param("a password", 'password = "', "it's h4rd", '"', id="quoted-apostrophe"),
    pytest.param("a password", "<password>", "hunter2", "</password>", id="xml"),
    pytest.param("a password", "curl -u bob:", "hunter2", " https://example.com", id="curl"),
    pytest.param("a password", "mysql --password ", "hunter2", " -h db", id="command-line"),
    pytest.param("a password", "machine example.com login bob password ", "hunter2", "", id="netrc"),
    pytest.param("a password", "Das Passwort lautet ", "Schwertfisch", ".", id="german"),
    pytest.param("a password", "Passwort für das WLAN ist ", "sommer24", "", id="german-for"),
    pytest.param("a password", "le mot de passe est ", "soleil42", "", id="french"),
    pytest.param("a password", "la contraseña es ", "girasol7", "", id="spanish"),
    pytest.param("a password", "пароль: ", "hunter2abc", "", id="russian"),
    pytest.param("a password", "Пароль от wifi: ", "hunter2abc", ".", id="russian-for"),
    pytest.param("a password", "密码是 ", "hunter2abc", "", id="chinese"),
    pytest.param("a password", "密码：", "hunter2abc", "。", id="chinese-colon"),
    pytest.param("a password", "mysql -u root -p", "S3cret99", " db", id="mysql"),
    pytest.param("a password", "sshpass -p '", "S3cret99", "' ssh host", id="sshpass"),
    pytest.param("a passphrase", "passphrase: ", "correct horse battery staple", "", id="passphrase"),
    pytest.param("a passphrase", "seed phrase: ", "apple banana cherry dog elephant fig", ".", id="seed-phrase"),
    pytest.param("a PIN", "the PIN is ", "4711", ".", id="pin"),
]

HARMLESS = [
    "",
    "the API key lives in 1Password",
    "uses sk-learn",
    "uses sk-learn-contrib-and-other-long-names",
    "password is stored in 1Password",
    "the password is in the vault",
    "password is required",
    "the password is required.",
    "the password is rotated monthly",
    "the password is never written down",
    "the password is changed every 90 days",
    "the password is case-sensitive",
    "the password is 12 characters long",
    "the password policy is strict",
    "the password for the admin account is rotated monthly",
    "the admin password is set to expire monthly",
    "use the password to unlock",
    "passwords are hashed with argon2id",
    "password: see the vault",
    "password: 1Password",
    "passphrase: ask the team lead",
    "Passwort ist im Tresor",
    "das Passwort ist sicher.",
    "le mot de passe est dans le coffre",
    "la contraseña es obligatoria",
    "the token limit is 4096",
    "max_tokens=4096",
    "tokenizer: cl100k_base",
    "pad_token=tokenizer.eos_token",
    "token_type: bearer",
    "token: 2026-11-30T20:20:00Z",
    "send the token to api2.example.com",
    "the access key is Alt+Shift+3",
    "пароль: хранится в 1Password",
    "пароль: минимум 12 символов",
    "密码是保存在1Password里",
    "密码是1Password",
    "mysql -u root -p database_1",
    "mysql -h db -port 3306",
    'sshpass -p "$SSHPASS" ssh host',
    "pass@10: 80.1%",
    "secret santa is on Friday",
    "the secret is patience",
    "secret: db-creds-v2",
    "the key is under the mat",
    "key: prod_server_ip",
    "signing key: AES-256-GCM",
    "deploy key: ~/.ssh/id_ed25519",
    "the PIN is four digits",
    "GPIO pin is 17",
    "pin: 1.26.4",
    "ssh-ed25519 " + "AAAAC3NzaC1lZDI1NTE5AAAAI" + MIXED * 10 + " user@host",
    _pem("PUBLIC KEY") + MIXED * 16 + "\n-----END PUBLIC KEY-----",
    "-----BEGIN " + "RSA PRIVATE KEY----- is the first line of such a file",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAAA=",
    "https://example.com:8080/a@b",
    "https://user@example.com/path",
    "postgres://localhost:5432/db",
    "git@github.com:org/repo.git",
    "postgres://user:{password}@host/db",
    "postgres://user:$PASSWORD@host/db",
    "postgres://user:***@host/db",
    "postgres://user:<password>@host/db",
    'os.environ["API_KEY"]',
    'api_key = os.environ["API_KEY"]',
    'password=os.getenv("DB_PW")',
    "password = getpass()",
    "connect(user=user, password=password)",
    "connect(password=word, timeout=3)",
    "password: str | None = None",
    '{"password": null, "name": "abc123def"}',
    '{"token": "abcdef", "name": "abc123def"}',
    "${{ secrets.GITHUB_TOKEN }}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "DB_PASSWORD=${DB_PASSWORD:-none}",
    "api_key=YOUR_API_KEY",
    "password: ********",
    'password: "** **"',
    "password: <your password>",
    "password: /run/secrets/db_password",
    "token: op://vault/item/field",
    "<token>",
    "Bearer tokens are used",
    "Authorization: Bearer $TOKEN",
    "Authorization: Basic authentication is off",
    "AbstractSingletonProxyFactoryBeanGeneratorStrategy",
    "356a192b7913b04c54574d18c28d46e6395428ab",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "image@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "123e4567-e89b-12d3-a456-426614174000",
    "python-3.11.7-h955ad1f_0",
    "2026-11-30T20:20:00Z",
    "production runs on 192.168.1.168",
    "+49 170 1234567",
    "/home/bob/.config/memory-magic/MEMORY.md",
    "docker run -u 1000:1000 image",
    "task-1234567890123456",
    "xai-explainable-methods-overview-of-the-field",
    HEADER + "...",
]

_PIECES = [f"{param.values[1]}{param.values[2]}" for param in SECRETS] + [
    *("password is ", "password: ", "token=", "PIN for ", "passphrase: a", "curl -u a", "Bearer ", "-----END", "eyJ"),
    *("://u:", "@h ", "•••", "gh" + "p_…", "…", '"', "'", " ", "\n", "\\n", ".", "-", "=", "a", "7", "é", "(", "<"),
]
JUMBLED = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=8).map("".join)


@pytest.mark.parametrize(("kind", "before", "secret", "after"), SECRETS)
def test_a_secret_is_found_with_its_kind_and_exact_place(kind: str, before: str, secret: str, after: str) -> None:
    """The span covers the secret, all of it and nothing else."""
    text = before + secret + after
    assert [(found.kind, text[found.start : found.end]) for found in find(text)] == [(kind, secret)]


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: text[:50] or "empty")
def test_a_text_without_a_secret_passes_as_it_is(text: str) -> None:
    """Words about secrets, references to them and other long strings are no secrets."""
    assert find(text) == []
    assert mask(text) == text


@pytest.mark.parametrize(("kind", "before", "secret", "after"), SECRETS)
def test_mask_leaves_only_public_letters_and_the_surroundings(kind: str, before: str, secret: str, after: str) -> None:
    """Of a token with a public prefix up to four letters stay, of anything else nothing."""
    shown = mask(before + secret + after).removeprefix(before).removesuffix(after)
    assert shown in {"•••", secret[:4] + "…"}


@pytest.mark.parametrize(("kind", "before", "secret", "after"), SECRETS)
def test_mask_is_idempotent(kind: str, before: str, secret: str, after: str) -> None:
    """A masked text holds nothing more to find."""
    masked = mask(before + secret + after)
    assert find(masked) == []
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "words", ["the password is hunter2", "PIN is 4711", "passphrase: correct horse battery staple"]
)
def test_mask_shows_no_letter_of_a_password(words: str) -> None:
    """What a person made up has no public part."""
    assert mask(words).endswith((" is •••", ": •••"))


def test_mask_shows_whose_token_it_was() -> None:
    """The public prefix tells the user which token to withdraw."""
    assert mask("use gh" + "p_" + MIXED * 9) == "use ghp_…"


@pytest.mark.parametrize("head", ["Wifi password", "db_password"])
def test_what_introduces_a_text_counts(head: str) -> None:
    """Under a title or a key that says so, a word alone is a secret; a sentence stays as it is."""
    assert mask("hunter2x", None, head) == "•••"
    assert mask("changed monthly", head) == "changed monthly"


def test_a_key_under_its_first_line_is_masked_whole() -> None:
    """The title may hold the line that begins a private key, and the text all the rest of it."""
    text = "\n".join([MIXED * 16] * 30)
    assert mask(text, _pem("RSA PRIVATE KEY").strip()).count(MIXED) == 0


def test_several_secrets_come_in_the_order_of_the_text() -> None:
    """Each secret of a text is reported once."""
    text = "my password is hunter2, my PIN is 4711, the token is gh" + "p_" + MIXED * 9
    assert [found.kind for found in find(text)] == ["a password", "a PIN", "a GitHub token"]


def test_a_token_inside_a_longer_secret_is_part_of_it() -> None:
    """Overlapping matches are one secret, so that no part of the longer one stays readable."""
    assert mask("password: x!" + "gh" + "p_" + MIXED * 9 + "!y") == "password: •••"


def test_the_first_secret_does_not_hide_the_second() -> None:
    """A description before a secret does not use it up."""
    assert (
        mask("The password is required. The password is hunter2.") == "The password is required. The password is •••."
    )


def test_the_case_of_a_prefix_counts() -> None:
    """Providers' prefixes are case-sensitive, so another case is another word."""
    assert find("GH" + "P_" + MIXED * 9) == []


def test_the_words_that_introduce_a_secret_may_have_any_case() -> None:
    """People write Password, PASSWORD and password."""
    assert mask("PASSWORD IS hunter2") == "PASSWORD IS •••"


@pytest.mark.parametrize("kind", sorted({pattern.kind for pattern in patterns()}))
def test_a_kind_completes_the_sentence_of_the_refusal(kind: str) -> None:
    """A kind is a phrase that follows "this looks like"."""
    assert kind.startswith(("a ", "an "))


@given(st.text() | JUMBLED)
def test_any_text_is_searched_without_an_error(text: str) -> None:
    """Finds lie inside the text, hold something, and follow each other without overlap."""
    found = find(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.text() | JUMBLED)
def test_masking_any_text_once_is_enough(text: str) -> None:
    """A text without secrets stays as it is, and a masked one is such a text."""
    masked = mask(text)
    assert find(masked) == []
    assert mask(masked) == masked
    assert (masked == text) is (find(text) == [])
