#!/bin/sh
# Creates the settings of compose.yaml with new secrets: create-env.sh [HOST], localhost by default. Replaces no existing file.
set -eu
cd "$(dirname "$0")"
umask 077
site=${1:-localhost}

case $site in
*[!A-Za-z0-9.-]* | '' | -* | .*)
  echo "$site is not the name of a host. Usage: create-env.sh [HOST]" >&2
  exit 2
  ;;
esac
for name in pms mariadb redis proxy; do
  if [ -e "$name.env" ]; then
    echo "$PWD/$name.env exists already. Its secrets belong to the data of the volumes: nothing was changed." >&2
    exit 1
  fi
done

# Only letters and digits, so that secrets need no quotes anywhere.
secret() { LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c 40; }

database_password=$(secret)
redis_password=$(secret)

cat >mariadb.env <<END
MARIADB_DATABASE=pms
MARIADB_USER=pms
MARIADB_PASSWORD=$database_password
MARIADB_ROOT_PASSWORD=$(secret)
MARIADB_ROOT_HOST=localhost
END
cat >redis.env <<END
REDISCLI_AUTH=$redis_password
END
cat >proxy.env <<END
SITE=$site
UPSTREAMS=pms-1:3000 pms-2:3000
END
cat >pms.env <<END
# Settings of both processes. .env.example lists all settings.
PUBLIC_URL=https://$site
DATABASE_URL=mariadb://pms:$database_password@mariadb/pms
REDIS_URL=redis://:$redis_password@redis
ENCRYPTION_KEY=$(head -c 32 /dev/urandom | base64)
ADMIN_API_KEY=$(secret)
# All requests pass through the proxy.
TRUST_PROXY=1
# Time for the proxy to detect that a process is stopping.
SHUTDOWN_DELAY=3
END
echo "Wrote pms.env, mariadb.env, redis.env and proxy.env to $PWD. Keep a copy: ENCRYPTION_KEY is needed to restore a backup."
