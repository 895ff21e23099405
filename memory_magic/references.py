"""What stands where a secret would and is none: references to one, and words about one."""

from __future__ import annotations

import re
from functools import cache

# Values that refer to a secret, stand for one, or tell how it is made.
_REFERENCE = r"""
      [x*•.…?_\#~\s-]+ | .{0,4}…  # starred out, or masked already
    | <.* | \{.* | \[[a-z\ _-]+\]? | \([a-z\ _-]+\)? | %[(].* | %\w+%  # <password>, {password}, [redacted], (none)
    | \$[({].* | \$(?-i:[A-Z_][A-Z0-9_]*|[a-z_]+) | ![a-z_]+ | [a-z]+\? | &\#?\w+  # $PASSWORD, ${PASSWORD}, !secret
    | [@\#][a-z_-]+ | \#[\da-f]{3,8} | [\w.+-]+@[\w.-]+\.[a-z]{2,}  # people, channels, colours
    | (?:self|os|env|process|settings|config|cfg|args|opts|secrets|st|app|var|local|data|ctx|request)\.[\w.]+
    | @?[a-z_][\w.]*[(\[].*  # os.getenv(…, config[…
    | [a-z_.-]*[_.-](?:password|passwd|passphrase|pass|pwd|pw|token|key|secret|credentials?)
    | (?-i:[A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASS|PWD)[A-Z0-9_]* | (?:KEY|TOKEN|SECRET|PASS)[A-Z_]+)
    | (?:your|insert|replace|enter)[_\ -]?.* | change-?_?(?:me|it|this) | placeholder.* | redacted.* | example
    | [~.]{0,2}/[\w./@+-]+ | [a-z]:\\.* | [a-z0-9_.-]+(?:/[a-z0-9_.-]+){2,}  # paths
    | [a-z][a-z0-9+.-]*://.* | (?:arn|vault|op|ssm|env|file|keyring|awssm|secretsmanager):.*
    | [\w.-]*\.(?:md|txt|rst|ya?ml|json|env|toml|ini|py|cfg|conf|pem|key|pub|gpg|kdbx|ipynb)
    | id_(?:rsa|dsa|ecdsa|ed25519) | (?:sk-)?(?:ssh|ecdsa)-.* | sha\d+:.*
    | \d{4}-\d\d-\d\d[\dtz:.+-]* | \d+(?:\.\d+){3}  # times and addresses
    | (?:hmac-)?(?:sha|md|[hrpe]s|aes|rsa|base|utf|oauth|argon|pbkdf|ed|x|p|pkcs\#?|secp|v)-?\d+[a-z\d_.-]{0,9}
    | 1password.*
    | (?:(?:ctrl|control|alt|shift|cmd|command|option|meta|super|win|fn|esc)[+-]){1,4}\S{1,9}  # keys of a keyboard
    | \d+[-+]?(?:char|digit|letter|bit|byte|ms|s|sec|min|h|hour|d|day|week|month|year|token)(?:acter|ond|ute)?s?
    """


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FUNCTION_WORDS = _words("""
    a an the this that these it its my your our their his her in on at by from to of with without under inside
    per via as and or but if too very just see ask use get read check look when what where who how which is are
    was be been not no never always only still also already now here there must should may can will has have der
    die das ein eine im auf bei beim zu wie nicht immer mit und oder le la les un une dans chez en très trop el
    los una muy con por que
""")
_DESCRIBING_WORDS = _FUNCTION_WORDS | _words("""
    required optional mandatory needed necessary obligatory strict strong weak secret private public personal
    common set unset reset kept known unknown hidden written missing empty blank none null nil true false
    undefined good fine okay bad wrong right correct incorrect valid invalid obsolete current previous short
    long safe unsafe secure insecure important sensitive unique random complex simple different same identical
    temporary permanent default static dynamic forgotten lost stale gone below above elsewhere nowhere somewhere
    everywhere usually today tomorrow monthly daily weekly yearly quarterly annually regularly automatically
    manually separately locally wide free specific proof first again unchanged unavailable password passwd
    passphrase passcode token secrets credentials login access username value data input args result request
    string text integer bool boolean bytes secretstr strings sample bearer basic ldap oauth kerberos environment
    vault keyring keychain keystore bitwarden lastpass keepass keepassxc dashlane human user team service todo
    sicher unsicher falsch richtig geheim bekannt unbekannt leer abgelaufen erforderlich notwendig nötig gleich
    lang kurz stark schwach hinterlegt verschlüsselt vergessen abgelegt anfrage requis obligatoire faux
    incorrecte expiré oublié stocké connu inconnu vide fort faible sûr guardada cifrada caducada compartida
    requerida obligatoria necesaria correcta incorrecta segura débil fuerte larga nueva vieja secreta igual
    diferente alphanumeric numeric lowercase uppercase plain plaintext confidential mine yours ours theirs
    offline online enough sufficient irrelevant unnecessary sent found taken given shown chosen ready broken
    active inactive used interactive essential critical trivial dead evil keins keines
""")
_DESCRIBING_ENDING = re.compile(r"[^\W\d_]{3,}(?:ed|able|ible|ing)|ge[^\W\d_]{4,}(?:t|en)")
_COMPOUND = re.compile(r"[-/+&|_]")


@cache
def _reference() -> re.Pattern[str]:
    return re.compile(_REFERENCE, re.IGNORECASE | re.VERBOSE)


def is_value(value: str) -> bool:
    """Tell a secret from a reference to one and from words about one."""
    if _reference().fullmatch(value):
        return False
    words = value.casefold().strip("*_~").split()
    if len(words) > 1:
        return _FUNCTION_WORDS.isdisjoint(words) and not _DESCRIBING_ENDING.fullmatch(words[0])
    last = _COMPOUND.split(words[0])[-1]
    if _DESCRIBING_ENDING.fullmatch(last):
        return False
    return any(character.isdigit() for character in value) or last not in _DESCRIBING_WORDS
