import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianRoot, MAIL_OWNER } from './debian-root.ts'

/** Loopback ports: of the relay, and of the policy server that decides about greylisting where the relay asks one. */
export type RelayPorts = { smtp: number; policy: number }

/** Writes Postfix's configuration: TLS alone, 200 mails in 5 seconds of one client. @returns the command that starts it */
export async function configurePostfix(root: DebianRoot, { policy, smtp }: RelayPorts): Promise<string[]> {
  const [postfix, postdrop] = [MAIL_OWNER + 1, MAIL_OWNER + 2]
  const spool = '/var/spool/postfix'
  for (const path of 'active bounce corrupt defer deferred flush hold incoming private saved trace'.split(
    ' ',
  ))
    await root.makeFolder(`${spool}/${path}`, { owner: postfix, mode: '700' })
  await root.makeFolder(`${spool}/pid`)
  await root.makeFolder(`${spool}/public`, { owner: postfix, group: postdrop, mode: '710' })
  await root.makeFolder(`${spool}/maildrop`, { owner: postfix, group: postdrop, mode: '730' })
  await root.makeFolder('/var/lib/postfix', { owner: postfix })
  await root.write(
    '/etc/postfix/main.cf',
    `compatibility_level = 3.6
myhostname = relay.example
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mydestination =
mynetworks = 127.0.0.0/8
queue_directory = ${spool}
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
data_directory = /var/lib/postfix
setgid_group = postdrop
maillog_file = /var/log/postfix.log
maillog_file_prefixes = /var/log
alias_maps =
smtpd_tls_cert_file = /etc/tls/server.pem
smtpd_tls_key_file = /etc/tls/server.key
smtpd_tls_security_level = encrypt
virtual_mailbox_domains = static:all
virtual_mailbox_base = /mail
virtual_mailbox_maps = static:all/
virtual_uid_maps = static:${MAIL_OWNER}
virtual_gid_maps = static:${MAIL_OWNER}
virtual_minimum_uid = 100
smtpd_client_event_limit_exceptions =
smtpd_client_message_rate_limit = 200
anvil_rate_time_unit = 5s
smtpd_recipient_restrictions = check_policy_service inet:127.0.0.1:${policy}, permit_mynetworks, reject
`,
  )
  const services = [
    `127.0.0.1:${smtp} inet n - n - - smtpd`,
    ...['tlsmgr', 'scache', 'anvil'].map((name) => `${name} unix - - n - 1 ${name}`),
    ...['proxymap', 'error', 'verify'].map((name) => `${name} unix - - n - - ${name}`),
    ...['bounce', 'defer', 'trace'].map((name) => `${name} unix - - n - 0 bounce`),
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'retry unix - - n - - error',
    'virtual unix - n n - - virtual',
    'postlog unix-dgram n - n - 1 postlogd',
  ]
  await root.write('/etc/postfix/master.cf', `${services.join('\n')}\n`)
  return ['/usr/lib/postfix/sbin/master', '-d', '-c', '/etc/postfix']
}

/** Writes Exim's: TLS alone, 10 mails a connection; greylists while `/run/greylist` exists. @returns the command that starts it */
export async function configureExim(root: DebianRoot, { smtp }: RelayPorts): Promise<string[]> {
  const exim = MAIL_OWNER + 1
  for (const path of ['/var/spool/exim4', '/var/log/exim4']) await root.makeFolder(path, { owner: exim })
  await root.write('/etc/tls/exim.key', readFileSync(join(root.folder, 'etc/tls/server.key'), 'utf8'), {
    owner: exim,
    mode: '400',
  })
  await root.write(
    '/etc/exim4/exim4.conf',
    `exim_path = /usr/sbin/exim4
primary_hostname = relay.example
daemon_smtp_ports = ${smtp}
local_interfaces = 127.0.0.1
spool_directory = /var/spool/exim4
log_file_path = /var/log/exim4/%slog
log_selector = +smtp_connection
pid_file_path = /run/exim.pid
tls_advertise_hosts = *
tls_certificate = /etc/tls/server.pem
tls_privatekey = /etc/tls/exim.key
smtp_accept_max_per_connection = 10
smtp_accept_max = 50
host_lookup =
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt
begin acl
mail:
  deny !encrypted = *
  accept
rcpt:
  defer condition = \${if exists{/run/greylist}}
    !seen = 1d / key=$local_part
    message = greylisted, come back
  accept
begin routers
all:
  driver = accept
  transport = maildir
begin transports
maildir:
  driver = appendfile
  maildir_format
  directory = /mail/all
  user = vmail
  group = vmail
  create_directory
begin retry
* * F,1h,1m
`,
    { group: exim, mode: '640' },
  )
  return ['/usr/sbin/exim4', '-bdf', '-q5s']
}

/** Writes OpenSMTPD's: no TLS, 10 mails a session. @returns the command that starts it */
export async function configureOpenSmtpd(root: DebianRoot, { smtp }: RelayPorts): Promise<string[]> {
  await root.makeFolder('/var/lib/opensmtpd/empty')
  const spool = '/var/spool/smtpd'
  await root.makeFolder(spool, { mode: '711' })
  for (const path of ['corrupt', 'incoming', 'purge', 'queue', 'temporary', 'bounce'])
    await root.makeFolder(`${spool}/${path}`, { owner: MAIL_OWNER + 2, group: 0, mode: '700' })
  await root.makeFolder(`${spool}/offline`, { group: MAIL_OWNER + 2, mode: '770' })
  await root.write(
    '/etc/smtpd.conf',
    `table all { "@" = "vmail" }
smtp limit max-mails 10
listen on 127.0.0.1 port ${smtp} hostname relay.example
action "all" maildir "/mail/all" virtual <all>
match from any for any action "all"
`,
  )
  return ['/usr/sbin/smtpd', '-F', '-d', '-f', '/etc/smtpd.conf']
}
