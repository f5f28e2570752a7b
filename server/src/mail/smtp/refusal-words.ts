/** The subject of a refusal's words: an address that does not exist, a mailbox that takes nothing, or us and what we may send. */
export type Whom = 'address' | 'recipient' | 'us'

/** @property words phrases between commas */
type Row = { source: string; about: Whom; words: string }

/** Replies have a line or two, and reports quote them. */
const MOST_CHARACTERS = 1000
/** Between two parts of a phrase stand a name or a few words. */
const GAP = ' … '
const LONGEST_GAP = 80

/**
 * Words of refusals by the systems that use them, in small letters; ` … ` stands for up to eighty characters. Words that mean several things
 * are left out, so that the code decides: "mailbox unavailable" (RFC 5321: not found, no access, or a policy), "quota exceeded" of
 * nothing, "relay access denied" (their domain has moved, or our sign-in is gone), "recipient address rejected" alone, "disabled" alone.
 */
const TABLE: readonly Row[] = [
  {
    source: 'Postfix: ADDRESS_CLASS_README, VIRTUAL_README, the reason of unknown_*_recipient_reject_code',
    about: 'address',
    words: `user unknown, unknown user, undeliverable address, unknown in virtual alias table`,
  },
  {
    source: 'Exim: specification, chapters on routers and on access control; cPanel sets its own words',
    about: 'address',
    words: `unrouteable address, unroutable address, no such user, no such person, unknown local part,
      an mx or srv record indicated no smtp service, all relevant mx records point to non-existent hosts`,
  },
  {
    source: 'Microsoft: Exchange NDR codes 5.1.1, 5.1.10 and 5.4.1 (directory-based edge blocking)',
    about: 'address',
    words: `recipnotfound, resolver.adr.recipnotfound, resolver.adr.recipientnotfound, resolver.adr.exrecipnotfound,
      recipient not found, wasn't found at, access denied. as 201806281`,
  },
  {
    source: 'Google: Gmail SMTP errors and codes, 5.1.1',
    about: 'address',
    words: `account that you tried to reach does not exist, address not found`,
  },
  {
    source: 'Yahoo: sender hub, SMTP error codes, 554 delivery error',
    about: 'address',
    words: `this user doesn't have a, no mailbox here by that name, mailbox not found`,
  },
  {
    source: 'Mailgun codes 605 and SES: addresses that bounced before',
    about: 'address',
    words: `not delivering to previously bounced address, recent history of bouncing as an invalid address,
      on the suppression list for your account`,
  },
  {
    source: 'Sendmail, qmail, Mimecast and others: the words of RFC 3463 X.1.1 in their own order',
    about: 'address',
    words: `does not exist, doesn't exist, do not exist, no longer exists, no longer in use, not exist,
      nobody by that name, nobody of that name, no such address, no such account, no such mailbox,
      no such recipient, no such domain, no mailbox by that name, no mailbox here, user not found,
      user is unknown, account not found, address unknown, addressee unknown, recipient unknown,
      recipient is unknown, mailbox unknown, unknown address, unknown account, unknown mailbox,
      unknown recipient, unknown email address, invalid recipient, invalid mailbox, not a known user,
      not a valid mailbox, not a valid user, not a valid recipient, not our customer`,
  },
  {
    source: 'Providers that answer in their own language',
    about: 'address',
    words: `empfänger unbekannt, empfänger existiert nicht, empfängeradresse existiert nicht, benutzer unbekannt,
      adresse unbekannt, unbekannter empfänger, unbekannter benutzer, destinataire inconnu,
      utilisateur inconnu, adresse inconnue, n'existe pas, usuario desconocido, no existe, utente sconosciuto,
      non esiste, gebruiker onbekend, usuário desconhecido, não existe, 宛先不明, 宛先が見つかりません, ユーザーが存在しません, 存在しません,
      用户不存在, 收件人不存在, 地址不存在, 不存在`,
  },
  {
    source: 'RFC 5321 (552), Postfix virtual(8), Dovecot quota, sendmail mail.local',
    about: 'recipient',
    words: `mailbox full, mailbox is full, mailbox … is full, mailbox … over quota, mailbox … over its quota,
      mailbox … exceeded, mailbox size limit exceeded, mailbox quota exceeded, mail box full, mail box is full,
      inbox full, inbox is full, maildir over quota, over quota, over disk quota, disk quota exceeded,
      storage quota, exceeded storage allocation, user … over quota, user … exceeded … quota,
      recipient's … quota, recipient … exceeded … quota, recipient … over quota,
      not enough space in the mailbox`,
  },
  {
    source: 'Gmail 5.2.1 and 5.2.2, Exchange 5.2.1 to 5.2.3, Yahoo 552',
    about: 'recipient',
    words: `out of storage, account that you tried to reach is disabled,
      account that you tried to reach is over quota, account that you tried to reach is inactive,
      receiving mail too quickly, receiving mail at a rate that, mailbox disabled, mailbox is disabled,
      mailbox is inactive, mailbox inactive, recipient … is disabled, inactive user, not accepting messages,
      not authorized to send to the recipient, not authorized to send to this recipient,
      recipient … receive limit, recipient … too many messages`,
  },
  {
    source: 'The same in other languages',
    about: 'recipient',
    words: `postfach voll, postfach ist voll, postfach des empfängers ist voll, boîte pleine,
      boîte aux lettres pleine, buzón lleno, casella piena, メールボックスがいっぱい, 邮箱已满, 容量を超え`,
  },
  {
    source:
      'What we may send: SES, SendGrid, Mailgun, Gmail 5.4.5, Exchange 5.1.90 and 5.2.122, Postfix anvil(8), cPanel',
    about: 'us',
    words: `sending quota, message quota, mail quota exceeded for sender, daily quota, hourly quota, monthly quota,
      send quota, sender quota, your quota, quota … your account, sending limit, sending limits, send limit,
      message limit, mail limit, email limit, messaging limit, messaging limits, daily limit, hourly limit,
      daily user sending limit, recipient limit, maximum credits exceeded, maximum sending rate, sending rate,
      rate limit, rate limited, rate limits, rate-limit, rate-limited, ratelimit, ratelimited, rate exceeded,
      throttled, throttling, throttle, too many messages, too many mails, too many emails, too many e-mails,
      too many connections, too many concurrent, too many recipients, too many sessions, too many invalid,
      too many unknown, too many errors, too much mail, exceeded your, emails per hour, mails per hour,
      messages per hour, messages per day, messages per minute, emails per day, mails per day,
      defers and failures per hour, unusual rate, unexpected volume, user complaints, sending paused,
      sending has been paused, sending is disabled, your account … suspended, your account … disabled,
      for test purposes only`,
  },
  {
    source:
      'Our name: Spamhaus, SpamCop, Barracuda, Microsoft 5.7.511 and 5.7.606 to 649 and S3140, Gmail 5.7.1, Yahoo TSS and BL',
    about: 'us',
    words: `blocked using, blocklist, blocklisted, block list, blacklist, blacklisted, black list, listed at,
      listed by, spamhaus, spamcop, barracudacentral, uceprotect, dnsbl, rbl, banned sending ip,
      client host rejected, client host blocked, client host … blocked, your ip, your ip address, your network,
      sending ip, reputation, senderscore`,
  },
  {
    source:
      'Whether we are who we say: RFC 7372, RFC 7489, SES, SendGrid, Postfix reject_unknown_sender_domain, Exim callouts',
    about: 'us',
    words: `sender address, sender address … does not exist, sender address … user unknown, sender rejected,
      sender denied, sender domain, sender domain … does not exist, sender verify failed,
      sender verification failed, sender identity, domain of sender, domain of sender … does not exist,
      from address, not allowed to send, not permitted to send, not authorized to send, not verified, spf,
      dkim, dmarc, unauthenticated, not authenticated, authentication required, authentication failed,
      reverse dns, ptr record, does not have a ptr record`,
  },
]

/** The longest first, by their longest part: a phrase within a longer one has no meaning of its own. */
const PHRASES = TABLE.flatMap(({ about, words }) =>
  words.split(/,\s+/).map((phrase) => ({ about, parts: phrase.split(GAP) })),
).sort((one, other) => together(other.parts) - together(one.parts) || inAll(other.parts) - inAll(one.parts))

function together(parts: readonly string[]): number {
  return Math.max(...parts.map((part) => part.length))
}

function inAll(parts: readonly string[]): number {
  return parts.join('').length
}

/**
 * Classifies whom the words of a refusal or report concern, whatever its code is. Looks at the first 1,000 characters, in time that grows with
 * their number alone. Addresses and links in them are ignored.
 * @param words as a server sent them, of one line or several
 * @returns null where they contain no known phrase, or phrases about several
 */
export function whomWordsConcern(words: string): Whom | null {
  let text = plain(words)
  const found = new Set<Whom>()
  for (const { about, parts } of PHRASES) {
    for (let span = find(text, parts); span; span = find(text, parts)) {
      found.add(about)
      text = `${text.slice(0, span.from)} | ${text.slice(span.to)}`
    }
  }
  const [about = null] = found
  return found.size === 1 ? about : null
}

/** One line without addresses, links and the codes that begin each line of an answer. */
function plain(words: string): string {
  return words
    .slice(0, MOST_CHARACTERS)
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll('|', ' ')
    .split(/[\s<>()"]/)
    .map((word) => word.replace(/^[2-5]\d\d(?=$|-)-?/, '').replace(/^#?[245]\.\d{1,3}\.\d{1,3}$/, ''))
    .filter((word) => word !== '' && !word.includes('@') && !word.includes('://'))
    .join(' ')
}

/** @returns where all parts stand one after the other, as words of their own */
function find(text: string, parts: readonly string[]): { from: number; to: number } | null {
  const [first = '', ...more] = parts
  for (let from = wordAt(text, first, 0); from >= 0; from = wordAt(text, first, from + 1)) {
    const to = endOf(text, from + first.length, more)
    if (to !== null) return { from, to }
  }
  return null
}

function endOf(text: string, from: number, parts: readonly string[]): number | null {
  let to = from
  for (const part of parts) {
    const at = wordAt(text, part, to)
    // A phrase that was found earlier ends this one, too.
    if (at < 0 || at - to > LONGEST_GAP || text.slice(to, at).includes('|')) return null
    to = at + part.length
  }
  return to
}

function wordAt(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1))
    if (!isLetter(text[at - 1]) && !isLetter(text[at + part.length])) return at
  return -1
}

function isLetter(character = ' '): boolean {
  return /^[a-z0-9]$/.test(character)
}
