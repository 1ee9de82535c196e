"""Files that are there to keep secrets: never read, whichever way they come in.

One list for the index, for buffers, and for documents of libraries.
"""

from __future__ import annotations

import re

from surveyor.secrets.word_tables import words

__all__ = ["is_private_key", "is_secret_file"]

_NAMES = words(
    ".netrc _netrc .authinfo .pgpass pgpass.conf .npmrc .pypirc .htpasswd .htdigest"
    " .git-credentials .dockercfg .dockerconfigjson .vault-token .my.cnf .mylogin.cnf .s3cfg"
    " .boto .credentials .pgservice.conf .esmtprc .msmtprc .fetchmailrc .muttrc .remote-sync.json"
    " .terraformrc terraform.rc credentials.tfrc.json .gem-credentials kubeconfig .kubeconfig"
    " .cargo-credentials .clojars .rclone.conf rclone.conf .ftpconfig .ftppass sftp-config.json"
    " filezilla.xml sitemanager.xml recentservers.xml .wgetrc .curlrc .bash_history .zsh_history"
    " .psql_history .mysql_history .python_history .node_repl_history .irb_history"
    " credentials credentials.json credentials.yml"
    " credentials.yaml credentials.toml credentials.xml credentials.csv credentials.db"
    " credentials.ini credentials.properties credentials.tfrc"
    " secrets secrets.json secrets.yml secrets.yaml secrets.toml secrets.ini secrets.env"
    " secrets.properties secrets.xml secrets.txt secret.json secret.yml secret.yaml secret.toml"
    " secret.env secret.txt passwords.txt password.txt passwords.csv client_secret.json"
    " client_secrets.json access_tokens.db accesstokens.json azureprofile.json"
    " application_default_credentials.json adc.json accesskeys.csv rootkey.csv"
    " master.key id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk id_xmss identity"
    " terraform.tfstate terraform.tfstate.backup known_hosts authorized_keys"
    " keystore.properties key.properties local.settings.json wp-config.php.bak shadow gshadow"
    " .env .envrc"
)
_SUFFIXES = (
    ".pem .key .p8 .p12 .pfx .pkcs12 .jks .keystore .kdbx .kdb .ppk .gpg .pgp .asc .tfstate"
    " .tfvars .mobileprovision .ovpn .agekey .age .keytab .psafe3 .1pif .agilekeychain .bek .tpm"
    " .rdp .wallet .dotenv .kubeconfig .pkey .privkey .jceks .bks .tfstate.backup .tfvars.json"
)
_SUFFIX = tuple(_SUFFIXES.split())
_NAME = re.compile(
    r"^\.env(?:$|[._\-rc])|\.env(?:$|[._-](?:local|dev|development|prod|production|test|testing"
    r"|stag|staging|live|ci|qa|bak|backup|old|orig)\b)|^env\.(?:local|prod|production)$"
    r"|^service[-_]?account.*\.json$|^(?:.*[-_.])?credentials?\.(?:json|csv)$"
    r"|^client_secret[-_].*\.json$|^.*[-_]accesskeys\.csv$|^new_user_credentials.*\.csv$"
    r"|^(?:.*[-_])?firebase-adminsdk.*\.json$|^(?:gcp|aws)[-_]key.*\.json$"
    r"|^(?:.*[-_.])?id_(?:rsa|dsa|ecdsa|ed25519)(?:[-_.](?!pub$)[\w.-]+)?$|^ssh_host_.*_key$"
    r"|^secrets?[-_.](?:[\w-]+\.)?(?:ya?ml|json|toml|ini|env|properties|enc)$"
    r"|^(?:[\w-]+[-_.])?secrets?\.(?:ya?ml|json|toml|ini|env|properties)$"
    r"|^kubeconfig[-_.].*$|^.*\.(?:pem|key|p12|pfx)\.(?:bak|old|backup|orig|txt)$",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"env|credential|secret|service|key|id_|kubeconfig|firebase|pem|p12|pfx")
"""What the names below have in them: asked of every file of a walk."""
_PUBLIC = re.compile(
    r"^\.env\.(?:d|example|sample|template|dist|defaults?)\.(?:ts|d\.ts|py|js)$", re.IGNORECASE
)
_PATH = re.compile(
    r"(?:^|/)(?:\.aws/(?:credentials|config|cli/cache/.*|sso/cache/.*)|\.kube/(?:config|cache/.*)"
    r"|\.docker/config\.json|\.config/gcloud/.*|\.azure/.*|\.ssh/(?!config$).*|\.gnupg/.*"
    r"|\.config/gh/hosts\.yml|\.config/hub|\.config/op/.*|\.gem/credentials"
    r"|\.cargo/credentials(?:\.toml)?|\.m2/settings(?:-security)?\.xml|\.config/rclone/.*"
    r"|\.bundle/config|\.composer/auth\.json|\.password-store/.*"
    r"|\.config/containers/auth\.json|\.terraform\.d/credentials.*|\.oci/config|\.fly/config\.yml"
    r"|\.netlify/config\.json|\.jupyter/.*token.*|\.databrickscfg|\.snowsql/config"
    r"|\.kaggle/kaggle\.json|\.huggingface/token|\.config/heroku/.*)$",
    re.IGNORECASE,
)
_PRIVATE_KEY = re.compile(
    rb"^\s*(?:-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY|PuTTY-User-Key-File-\d)"
)


def is_secret_file(path: str) -> bool:
    """Whether a file's name, or where it lies, says that it holds secrets.

    `path` is absolute or relative, with forward slashes. `secrets.py` and the like are code.
    """
    lower = path.replace("\\", "/").lower()
    name = lower.rsplit("/", 1)[-1]
    if name in _NAMES or name.endswith(_SUFFIX):
        return True
    if _MAYBE.search(name) and _NAME.search(name) and not _PUBLIC.match(name):
        return True
    return "/." in f"/{lower}" and _PATH.search(lower) is not None


def is_private_key(head: bytes) -> bool:
    """Whether a file begins as a private key does."""
    return _PRIVATE_KEY.match(head) is not None
