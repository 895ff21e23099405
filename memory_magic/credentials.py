"""What looks like a secret: two tables of patterns, and what is done with them, finding and masking."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from memory_magic.references import is_value

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Pattern:
    """One form of one kind of secret; ``kind`` completes "this looks like …".

    The group ``secret`` of ``regex`` is the secret. The group ``value`` is one unless it only describes or refers to
    one (``required``, ``$DB_PASSWORD``). Without either group the match is a token that starts with public letters.
    """

    kind: str
    regex: re.Pattern[str]


@dataclass(frozen=True)
class Credential:
    """A secret in a text: ``text[start:end]`` is the secret itself, without the words that introduce it."""

    kind: str
    start: int
    end: int


# With a digit soon: what follows a short prefix could otherwise be the rest of a name ("xai-methods-in-practice").
_MANY = r"(?=[A-Za-z_-]{0,40}\d)[\w+/=-]{20,}"

# Tokens that say what they are: kind, prefixes, what follows.
_PREFIXED = (
    ("an age secret key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", r"[A-Z0-9]{20,}"),
    ("an AWS access key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16,}(?![a-z])"),
    ("an AWS Bedrock key", "ABSK", r"[A-Za-z0-9+/]{60,}={0,2}"),
    ("a Google key", "AIza GOCSPX- ya29. 1//0", r"[\w-]{20,}"),
    ("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{32,}"),
    ("a Cloudflare token", "cfk_ cfut_ cfat_", r"[A-Za-z0-9]{40,}"),
    ("an Alibaba Cloud key", "LTAI", r"[A-Za-z0-9]{16,24}(?![A-Za-z0-9])"),
    ("a hosting token", "HRKU- vcp_ vck_ vci_ vca_ vcr_ nfp_ fm1_ fm1a_ fm1r_ fm2_ fo1_ pul-", _MANY),
    ("a Tailscale key", "tskey-auth- tskey-api- tskey-client-", _MANY),
    ("a Databricks token", "dapi", r"[a-f0-9]{32}(?:-\d)?"),
    ("a database key", "sbp_ sb_secret_ pscale_tkn_ pscale_oauth_ pscale_pw_", _MANY),
    ("a Vault token", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    ("a Terraform token", ".atlasv1.", r"[\w=-]{40,}"),
    ("a Doppler token", "dp.pt. dp.st. dp.sa. dp.ct.", r"[\w.-]{36,}"),
    ("a 1Password token", "ops_eyJ", r"[\w+/=-]{40,}"),
    ("a 1Password key", "A3-", r"[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}"),
    ("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"(?:[A-Za-z0-9]{20,}|[A-Za-z0-9]{1,19}_eyJ[\w.-]{20,})"),
    ("a GitHub token", "github_pat_", r"\w{22,}"),
    ("a GitLab token", "glpat- gldt- glcbt- glptt- glft- glimt- glagent-", r"[\w-]{16,}(?:\.[\w-]{2,9}){0,2}"),
    ("a GitLab token", "gloas- glrt- glrtr- glsoat- glffct- glwt- GR1348941", r"[\w-]{16,}(?:\.[\w-]{2,9}){0,2}"),
    ("an Atlassian token", "ATBB ATATT ATCTT", r"[\w=-]{24,}"),
    ("a PyPI token", "pypi-", r"(?=[a-z_-]{0,60}[A-Z0-9])[\w-]{40,}"),
    ("an npm token", "npm_", r"[A-Za-z0-9]{36,}"),
    ("a RubyGems key", "rubygems_", r"[a-f0-9]{40,}"),
    ("a crates.io token", "cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("a Docker token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}"),
    ("a package index key", "oy2 AKCp", r"(?:[a-z0-9]{43}|[A-Za-z0-9]{69})(?![A-Za-z0-9])"),
    ("an Anthropic key", "sk-ant-", r"[\w-]{16,}"),
    ("an OpenRouter key", "sk-or-", r"[\w-]{16,}"),
    ("an OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", r"[\w-]{16,}"),
    ("an OpenAI key", "sk-", r"(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{16,}"),
    ("a Hugging Face token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("a model provider's key", "gsk_ xai- r8_ pplx- nvapi- tgp_v1_ csk- fw_ pcsk_ tvly- sk-lf- jina_ rpa_", _MANY),
    ("a Weights & Biases key", "wandb_v1_", _MANY),
    ("a Kaggle token", "KGAT_", r"[a-f0-9]{30,}"),
    ("an experiment platform's key", "lsv2_pt_ lsv2_sk_ pnu_ pnb_", _MANY),
    ("a Slack token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp-", r"[\w%-]{10,}"),
    ("a Slack token", "xapp-", r"\d-[\w-]{16,}"),
    ("a Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[\w+/=]{16,}"),
    ("a Square token", "sq0atp- sq0csp- sq0idp-", r"[\w-]{22,}"),
    ("a Shopify token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"[a-fA-F0-9]{32}"),
    ("a SendGrid key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    ("a Mailgun key", "key-", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("a mail service's key", "xkeysib- xsmtpsib- re_", r"(?:[a-f0-9]{64}-\w{16}|[A-Za-z0-9]{8}_[A-Za-z0-9]{20,})"),
    ("a Twilio key", "SK", r"[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("a Grafana token", "glsa_ glc_ eyJrIjoi", r"[\w+/=-]{32,}"),
    ("a Sentry token", "sntrys_ sntryu_", r"[\w+/=-]{40,}"),
    ("a monitoring token", "NRAK- phx_ phs_ squ_ sqp_ sqa_", _MANY),
    ("a Notion token", "ntn_ secret_", r"[A-Za-z0-9]{40,}"),
    ("an access token", "lin_api_ figd_ figo_ figu_ PMAK- sha256~", r"(?=[A-Za-z_-]{0,40}\d)[\w-]{30,}"),
)

_BASE64_LINES = r"[A-Za-z0-9+/]{20}[A-Za-z0-9+/=\s\\\"',]*[A-Za-z0-9+/=](?<!\\[nr])"
_PEM = r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_URL_WITH_LOGIN = (
    r"://[^\s/:@\"'<>?#]{0,128}:(?!\$[A-Za-z_{(]|[{\[]|%[(s]|[*x•.…]+@)(?P<secret>[^\s/\"'<>?#]{2,256})@(?=[\w\[{$<])"
)
_AUTHORIZATION = (
    r"(?i:authorization)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?i:basic|bearer|token|apikey|bot)[ \t]{1,4}"
    r"(?P<value>(?=[\w~+/.-]{0,200}(?:[a-z][A-Z]|[0-9=]))[\w~+/.-]{6,}={0,2})"
)

_LETTER = r"[^\W\d_]"
_IN = r"[^\s\"'`“”„»«,;]"
_LAST = r"[^\s\"'`’“”„»«,;.:!?)\]}>|\\]!{0,3}"
_OPEN = r"[\"'`‘“„«\\]{0,3}"
_FOR_WHAT = (
    r"(?:[ \t]?\([^()\n]{1,40}\))?"
    r"(?:[ \t]{1,4}(?i:for|of|to|on|at|in|from|fürs?|von|vom|zum|zur|im|pour|de|du|para|del)"
    r"(?:[ \t]{1,4}[^\s,;:=()]{0,29}[^\s.,;:=()]){1,5}?)?"
)
_IS = (
    r"[*_`\"'\\)\]]{0,4}[ \t]{0,4}"
    r"(?::[ \t]?str(?:ing)?[ \t]?=|=>|->|→|:=|={1,3}|:"
    r"|\b(?i:is|are|was|will be|has been|ist|war|lautet|wurde|est|es|era|è|é|(?:changed|set) to)\b"
    r"(?i:[ ](?:now|still|currently|just|also|set|changed|reset|updated|to|jetzt|auf)\b){0,3}[ \t]{0,4}:?)"
    rf"[*_]{{0,2}}[ \t]{{0,8}}\n?[ \t]{{0,8}}{_OPEN}"
)
_PASSWORD_IS = (
    r"(?i:passwords?|passwd|passcode|pass ?phrase|(?<![a-z])pwd|passwort|kennwort|wachtwoord|mot de passe"
    rf"|contrase(?:ñ|n\u0303?)a|(?<![a-z])senha)\d?{_FOR_WHAT}{_IS}"
)
_TOKEN_IS = (
    r"(?i:token|secret|credentials?|creds|(?<![a-z])(?:pass|pw)(?=[\"'`*]{0,3}[ ]?[:=])"
    r"|(?:api|access|secret|private|auth|account|shared|encryption|signing|master|subscription|deploy|storage|admin)"
    rf"[ _-]?(?:access[ _-]?)?keys?)\d?{_FOR_WHAT}{_IS}"
)
# Languages whose words we do not know well enough to tell a bare word from a description: a digit decides.
_PASSWORD_ELSEWHERE = (
    r"(?:(?i:парол[ья]|hasło|heslo|şifre|parola|jelszó|lösenord|adgangskode|salasana)|密码|密碼|口令|パスワード|비밀번호|암호)"
    rf"(?:[ ][^\s:=,;—]{{1,20}}){{0,3}}?(?:{_IS}|[ ]{{0,2}}(?:[：＝—]|[是为為はが]|은|는)[ ]{{0,2}}{_OPEN})"
)
_IN_ASCII = r"(?=[!-~]{0,64}\d)[A-Za-z0-9_~+/=.:@!#$%^&*-]{4,128}(?<![.:])"
_CHANGED_TO = rf"(?i:\b(?:chang|reset|set|updat)\w{{0,4}} (?:\w{{1,12}} ){{0,3}}pass(?:word|phrase|code)) to {_OPEN}"
_PHRASE_IS = rf"(?i:pass ?phrase|(?:seed|recovery) (?:phrase|words)|mnemonic){_FOR_WHAT}{_IS}"
_PIN_IS = rf"(?i:\bPIN(?:[ -]?(?:code|number))?){_FOR_WHAT}{_IS}"

_QUOTED = r"(?![\s,)}\]:])(?:(?<=\")[^\"\n]{4,200}(?=\")|(?<=')[^'\n]{4,200}(?=')|(?<=`)[^`\n]{4,200}(?=`))"
_UNIT = r"(?:char|digit|letter|word|bit|byte|second|minute|hour|day|week|month|year|Zeichen|Stellen)"
_MIXED = rf"(?![\d+\u2013-]+[ ]{_UNIT})(?=(?:{_LETTER}|-)*+{_IN}*{_LAST}){_IN}{{3,}}{_LAST}"
# A bare word is a value where its clause ends ("is swordfish."); a sentence that describes goes on ("is kept in …").
_CLAUSE_END = (
    r"(?=[\"'`”“»*\\]{0,3}(?:[,;!?)\]}<]|\.(?!\w)|[ \t]*(?:\Z|\n|\()"
    r"|[ \t]+(?:and|but|for|on|at|und|für|et|pour|y|para)\b))"
)
_WORD = rf"(?={_LETTER}[\w-]{{3}}){_LETTER}{{2,}}(?:-{_LETTER}+){{0,8}}"
# "f(password=name)" passes on a variable.
_BARE_WORD = rf"(?:(?<==){_WORD}(?=[\s;&\"'`]|\Z)|(?!(?<==)[\w-]+[,)]){_WORD}{_CLAUSE_END})"
_WORDS = rf"[a-z]{{3,}}(?:[ -][a-z]{{3,}}){{2,23}}{_CLAUSE_END}"
_KEY_IN = r"[\w~+/=.:@!#$%^&*-]"
# Names of things end in a small number ("db-creds-v2"); what machines make has letters and digits, or is long.
_RANDOM = (
    r"(?![A-Za-z]+(?:[-_][A-Za-z]+)*[-_]v?\d{1,2}(?![\w-]))"
    rf"(?:(?={_KEY_IN}{{0,64}}\d)(?={_KEY_IN}{{0,64}}[A-Za-z]){_KEY_IN}{{5,}}[\w~+/=!#$%^&*-]|(?:[a-z]{{21,}}|[A-Z]{{21,}})\b)"
)

# Secrets known by where they stand.
_PLACED = (
    ("a private key", rf"{_PEM}(?:\\.|[^-\\]|-(?!----)){{0,300}}?(?P<secret>{_BASE64_LINES})"),
    ("a private key", rf"{_PEM}(?:\s|\\[nr]){{0,4}}(?P<secret>[A-Za-z0-9+/=]{{4,64}})(?:\s|\\[nr]){{0,4}}-----END"),
    ("a private key", rf"Private-Lines: \d{{1,4}}\s{{1,2}}(?P<secret>{_BASE64_LINES})"),
    ("an AWS secret key", r"(?i:secret[ _-]?access[ _-]?key)\W{1,6}(?:is\W)?(?P<secret>[A-Za-z0-9/+]{40})(?![\w/+])"),
    ("an Azure key", r"(?:AccountKey|SharedAccessKey|SharedSecretValue)=(?P<secret>[A-Za-z0-9+/]{20,}={0,2})"),
    ("an Azure signature", r"[?&;]sig=(?P<secret>[\w%+/=-]{20,})"),
    ("an Azure client secret", r"(?<![\w~.-])(?P<secret>[\w~.]{3}\dQ~[\w~.-]{30,})"),
    ("a webhook address", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/-]{20,})"),
    ("a webhook address", r"discord(?:app)?\.com/api/webhooks/(?P<secret>[\w/-]{20,})"),
    ("a webhook address", r"\.webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{20,})"),
    ("a Discord token", r"(?<![\w-])(?P<secret>[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,})"),
    ("a Telegram bot token", r"(?<!\d)(?P<secret>\d{8,10}:AA[\w-]{32,})"),
    ("a Mailchimp key", r"(?<!\w)(?P<secret>[a-f0-9]{32}-us\d{1,2})(?!\w)"),
    ("a JSON web token", r"eyJ(?<![\w-]eyJ)[\w-]{8,}+\.(?:eyJ[\w-]{5,}+\.[\w-]{3,}|[\w-]*+(?:\.[\w-]{8,}+){3})"),
    ("a password in a URL", _URL_WITH_LOGIN),
    ("an authorization header", _AUTHORIZATION),
    ("an authorization header", r"(?i:\bbearer)[ \t]{1,4}(?P<value>(?=[\w~+/.-]{0,64}\d)[\w~+/.-]{16,}={0,2})"),
    ("an authorization header", r"\bBasic[ \t]{1,4}(?P<value>(?=[A-Za-z0-9+/]{0,64}\d)[A-Za-z0-9+/]{12,}={0,2})"),
    ("a password", r"\bcurl\b[^\n]{0,120}?[ ](?:-u|--user)[ =]?[\"']?[^\s:\"']{1,64}:(?P<value>[^\s\"']{3,})"),
    ("a password", rf"--(?:password|pass|token|secret|api-key)[ ]{{1,4}}{_OPEN}(?=\S{{0,64}}\d)(?P<value>{_MIXED})"),
    (
        "a password",
        rf"\b(?:mysql|mariadb)\w{{0,6}}\b[^\n]{{0,120}}?[ ]-p(?!ort\b|rotocol\b){_OPEN}(?P<value>{_IN}{{4,}})",
    ),
    ("a password", rf"\bsshpass[ \t]{{1,4}}-p[ \t]{{0,4}}{_OPEN}(?P<value>{_IN}{{3,}})"),
    ("a password", r"\blogin[ \t]{1,4}\S{1,64}\s{1,8}password[ \t]{1,4}(?P<value>\S{3,128})"),
    ("a password", r"<(?i:password|passphrase|secret|token|api-?key)>(?P<value>[^<\s]{4,200})</"),
    ("a PIN", rf"{_PIN_IS}(?P<value>\d{{4,8}})(?![\w-]|[.:]\d|[ ]{_UNIT})"),
    ("a passphrase", rf"{_PHRASE_IS}(?P<value>{_WORDS})"),
    ("a password", rf"{_PASSWORD_IS}(?P<value>{_QUOTED}|{_MIXED}|{_BARE_WORD})"),
    ("a password", rf"{_PASSWORD_ELSEWHERE}(?P<value>{_IN_ASCII})"),
    ("a password", rf"{_CHANGED_TO}(?P<value>{_MIXED})"),
    ("a password or token", rf"{_TOKEN_IS}(?P<value>{_RANDOM})"),
)


def _prefixed(prefix: str, rest: str) -> re.Pattern[str]:
    r"""Compile a token that starts a word, or follows a line break written as ``\n``; "task-…" has no "sk-"."""
    # The prefix comes before its own look-behind: a pattern that starts with letters is found 20 times faster.
    letters = re.escape(prefix)
    return re.compile(rf"{letters}(?:(?<![A-Za-z0-9]{letters})|(?<=\\[nrt]{letters})){rest}")


# Compiled when first needed: doing so takes longer than importing the rest of the package.


@cache
def _by_prefix() -> tuple[Pattern, ...]:
    rows = ((kind, prefix, rest) for kind, prefixes, rest in _PREFIXED for prefix in prefixes.split())
    return tuple(Pattern(kind, _prefixed(prefix, rest)) for kind, prefix, rest in rows)


@cache
def _by_place() -> tuple[Pattern, ...]:
    return tuple(Pattern(kind, re.compile(regex)) for kind, regex in _PLACED)


@cache
def _any_prefix() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(prefix) for _, prefixes, _ in _PREFIXED for prefix in prefixes.split()))


def patterns() -> tuple[Pattern, ...]:
    """Give all patterns, those with a public prefix first."""
    return (*_by_prefix(), *_by_place())


# Without one of these words, folded, and without a long word that could be a token, no pattern matches: ordinary
# texts, nearly all there are, are told by this in a fiftieth of the time.
_WORDS_NEEDED = (
    *("pass", "pwd", "pw", "wort", "woord", "contrase", "senha", "token", "secret", "cred", "key", "pin", "seed"),
    *("recovery", "mnemonic", "private-lines", "sig=", "://", "authorization", "bearer", "basic", "curl", "mysql"),
    *("mariadb", "парол", "hasło", "heslo", "ifre", "parola", "jelszó", "lösenord", "adgangskode", "salasana"),
    *("密码", "密碼", "口令", "パスワード", "비밀번호", "암호"),
)
_SHORTEST_TOKEN = 14


def may_hold(text: str) -> bool:
    """Say whether a text can hold a secret at all; a quick look that never misses one."""
    folded = text.casefold()
    return any(word in folded for word in _WORDS_NEEDED) or max(map(len, text.split()), default=0) >= _SHORTEST_TOKEN


_SOON = 400
_OPAQUE_KINDS = frozenset(kind for kind, regex in _PLACED if "(?P<" in regex)


def find(text: str) -> list[Credential]:
    """List the secrets in ``text`` by start; where matches overlap they are one, of the kind that starts first."""
    found: list[Credential] = []
    for hit in sorted(_hits(text), key=lambda hit: (hit.start, -hit.end)):
        if found and hit.start < found[-1].end:
            found[-1] = replace(found[-1], end=max(found[-1].end, hit.end))
        else:
            found.append(hit)
    return found


def mask(text: str, *heads: str | None) -> str:
    """Give ``text`` with its secrets starred out, but for up to four letters of a token's public prefix (``ghp_…``).

    ``heads`` introduce it, as a title and a key do: under "Wifi password", "hunter2" is a secret.
    """
    # Masking one secret can make its neighbour look like one; each round leaves fewer letters, so this ends.
    while found := find(text):
        text = _masked_once(text, found)
    for head in filter(None, heads):
        before = len(head) + 2
        # What a head introduces begins soon behind it; long texts are searched as a whole only if something does.
        if not any(hit.end > before for hit in find(f"{head}: {text[:_SOON]}")):
            continue
        while found := [hit for hit in find(f"{head}: {text}") if hit.end > before]:
            moved = [replace(hit, start=max(0, hit.start - before), end=hit.end - before) for hit in found]
            if (masked := _masked_once(text, moved)) == text:
                break
            text = masked
    return text


def _masked_once(text: str, found: list[Credential]) -> str:
    pieces: list[str] = []
    done = 0
    for credential in found:
        pieces += text[done : credential.start], shown(text, credential)
        done = credential.end
    return "".join([*pieces, text[done:]])


def shown(text: str, credential: Credential) -> str:
    """Give what may be shown of a secret: four letters of a public prefix, or nothing of it."""
    if credential.kind in _OPAQUE_KINDS:
        return "•••"
    return text[credential.start : credential.start + 4] + "…"


def _hits(text: str) -> Iterator[Credential]:
    if not may_hold(text):
        return
    # Most texts hold no prefix at all, and one search tells that sooner than a hundred and fifty.
    for pattern in patterns() if _any_prefix().search(text) else _by_place():
        group = next(iter(pattern.regex.groupindex), 0)
        for match in pattern.regex.finditer(text):
            if group != "value" or is_value(match[group]):
                yield Credential(pattern.kind, *match.span(group))
