import { decodeWords, textOfHtml } from './decode-text.ts'
import type { Message, Mime } from './mime-parts.ts'

/** Words of mail systems to people, in small letters, between commas. The languages are those of which reports were seen. */
type Words = readonly string[]

/** A mail is not delivered, and nobody tries any more. */
const FAILED = words(
  'not be delivered, not been delivered, was not delivered, were not delivered, not delivered to, message not delivered, undelivered, undeliverable',
  'nondeliverable, non-delivery, nondelivery, unable to deliver, not able to deliver, cannot deliver, could not deliver',
  "couldn't be delivered, can't be delivered, wasn't delivered, weren't delivered, wasn't able to deliver, couldn't deliver",
  'delivery has failed, delivery failed, delivery failure, failed delivery, delivery to these recipients or groups failed',
  'failure notice, failed permanently, permanent error, permanent failure, permanent fatal error, fatal error, failed recipient',
  'returned mail, returned to sender, mail returned, returning message to sender, did not reach, could not be reached',
  'rejected your message, message was rejected, message has been rejected, mail delivery error, following address(es) failed',
  'nicht zugestellt, nicht zustellbar, unzustellbar, zustellung fehlgeschlagen, nicht ausgeliefert, nicht übermittelt',
  "n'a pas pu être, n'ont pas pu être, n'a pas été remis, non remis, non distribué, échec de la remise, échec de remise",
  'échec de distribution, échec de la distribution, impossible de remettre, échec de livraison',
  'no se pudo entregar, no se ha podido entregar, no se puede entregar, no pudo ser entregado, no entregado, error de entrega',
  'non è stato possibile recapitare, non è stato possibile consegnare, mancato recapito, mancata consegna, non recapitato',
  'niet worden bezorgd, niet worden afgeleverd, niet bezorgd, niet afgeleverd, onbestelbaar',
  'não foi possível entregar, não pôde ser entregue, não entregue, falha na entrega',
  'nie można dostarczyć, nie została dostarczona, не может быть доставлено, не доставлено, не удалось доставить',
  '配信できません, 配信不能, 配送できません, 配達できません, 届けられません, 送信できません, 配信に失敗, 配信されません, 届きません',
  '无法投递, 无法送达, 投递失败, 未能送达, 未能投递, 退信, 发送失败, 被退回, 無法投遞, 無法送達, 投遞失敗, 傳送失敗',
  '전송 실패, 배달되지 못, 전달되지 않, 전송하지 못, 배달하지 못',
)

/** The same, and stronger than a word of delay beside it. */
const GIVEN_UP = words(
  'not going to try again, giving up, gave up, given up, permanent error, permanent failure, failed permanently, permanent fatal',
  'no longer be retried, not be retried, will not retry, retry timeout exceeded, retry time not reached for any host after a long',
  'no further attempts, keine weiteren zustellversuche, endgültig',
)

/** Words of a mail that is still tried. */
const DELAYED = words(
  'warning message only, not yet been delivered, not been delivered yet, attempts will continue, will continue trying',
  'will continue to try, will continue to be, will keep trying, will be retried, will retry, will try again, continue to attempt',
  'still trying, still being tried, still being attempted, still be attempted, delayed, delivery delay, (delay), temporary problem',
  'not need to resend, no action is required, yet to be delivered, will be attempted again, further attempts will, keep trying',
  'verzögert, noch nicht zugestellt, weiterhin versucht, weitere versuche, weitere zustellversuche werden, erneut versucht',
  'retardé, différé, différée, nouvelle tentative, nouvelles tentatives, pas encore été remis, tentatives se poursuiv',
  'retrasado, se volverá a intentar, se seguirá intentando, ritardo, nuovi tentativi, vertraagd, opnieuw geprobeerd, atrasada',
  '遅延, 遅れて, 再送を試み, 再試行, 引き続き配信, 延迟, 延遲, 继续尝试, 將繼續嘗試, 将继续, 稍后重试, 지연',
)

/** Words of people who are away: an answer of a person, not a report of a mail system. */
const AWAY = words(
  'out of office, out of the office, out-of-office, autoreply, auto-reply, auto reply, automatic reply, automated reply, automatic response',
  "autoresponder, on vacation, on holiday, on leave, parental leave, maternity leave, i am away, i'm away, away until, currently away",
  "i will be back, i am back on, i'll be back, limited access to, no longer work, has left the company, read your message when, read your mail when",
  'abwesend, abwesenheit, im urlaub, nicht im büro, nicht im hause, automatische antwort, bin ich wieder, wieder erreichbar',
  'je suis absent, actuellement absent, en congé, en vacances, réponse automatique, de retour le',
  'fuera de la oficina, respuesta automática, de vacaciones, fuori ufficio, risposta automatica, in ferie, afwezig, automatisch antwoord',
  '休暇, 不在のため, 不在にして, 自動応答, 自動返信, 自动回复, 自動回覆, 休假, 正在度假, 부재중, 자동 응답',
)

const has = (text: string, some: Words) => some.some((phrase) => text.includes(phrase))

/** A mail system's report in words for people: a mail failed for good, with the reason as far as it gives one, or is delayed. */
export type PlainReport =
  | { failed: true; status: string | null; smtpCode: number | null; words: string }
  | { failed: false }

const MOST_WORDS = 20_000

const LONGEST_LINE = 1000

/** The length of the text around the code that counts as the server's quoted answer. */
const BEFORE_CODE = 300

const AROUND_CODE = 1000

const SYSTEMS =
  /mailer[-_ ]?daemon|mail[-_ ]?daemon|postmaster|mail (?:delivery|system|router|administrator|gateway)|delivery (?:sub)?system|delivery (?:status|service|agent)|system administrator|mdaemon|microsoft outlook/

const AUTORESPONDERS = ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'x-autoreply-from', 'x-vacation']

/** Where the mail begins that is sent back. */
const QUOTED =
  /^[>|\s]{0,20}(?:return-path|received|message-id|dkim-signature|list-unsubscribe|mime-version)[ \t]{0,5}:|^[-=_*>\s]{0,40}(?:original (?:message|mail|e-?mail)|below this line|this is a copy of|(?:a )?copy of (?:your|the) (?:message|mail)|the (?:header|body) of the|(?:included|returned|unsent|undelivered) message|message headers?|ursprüngliche nachricht|urspr.{0,10}nachricht|message d'origine|message original|元のメッセージ|原始邮件|原邮件)/i

/**
 * Reads a report that a mail system wrote for people (qmail, earlier versions of Exim, gateways): it has to state that the mail failed for good, in words
 * or by the answer of a server. Answers of people, and of their autoresponders, are no reports, whatever they quote.
 * @returns null where it is no such report
 */
export function readPlainReport(mime: Mime): PlainReport | null {
  let delayed: PlainReport | null = null
  for (const [index, message] of mime.messages.entries()) {
    const sender = senderOf(message)
    if (sender === 'a person') continue
    const report = readText(message, textOf(mime, index), sender)
    if (report?.failed) return report
    delayed ??= report
  }
  return delayed
}

/** @returns `nobody` for an empty return path alone, which autoresponders have too (RFC 3834) */
function senderOf({ header, type }: Message): 'a mail system' | 'nobody' | 'a person' {
  const from = decodeWords(`${header.get('from') ?? ''} ${header.get('sender') ?? ''}`).toLowerCase()
  const isNamed = SYSTEMS.test(from) || header.has('x-failed-recipients') || type === 'multipart/report'
  const isAnswer = /^auto-replied/i.test(header.get('auto-submitted') ?? '')
  const isBulk = /^(?:bulk|junk|list)/i.test(header.get('precedence') ?? '')
  const isAutoresponder = AUTORESPONDERS.some((name) => header.has(name))
  if (isAutoresponder || (isAnswer && (isBulk || !isNamed))) return 'a person'
  if (isNamed) return 'a mail system'
  const path = header.get('return-path')?.replaceAll(/[\s<>]/g, '')
  if (path !== undefined && /^mailer-daemon/i.test(path)) return 'a mail system'
  return path === '' ? 'nobody' : 'a person'
}

/** The text of the message itself, without the mail that it quotes. */
function textOf({ parts }: Mime, message: number): string {
  const own = parts.filter(
    (part) => part.message === message && part.type.startsWith('text/') && !part.type.includes('rfc822'),
  )
  const plain = own.filter(({ type }) => type !== 'text/html')
  const text = (plain.some(({ text: words }) => words.trim() !== '') ? plain : own)
    .map((part) => (part.type === 'text/html' ? textOfHtml(part.text) : part.text))
    .join('\n')
    .slice(0, MOST_WORDS)
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE))
  const end = lines.findIndex((line) => QUOTED.test(line))
  return (end < 0 ? lines : lines.slice(0, end)).filter((line) => !line.startsWith('>')).join('\n')
}

/** A status of its own, and none of an address such as 5.6.7.8. */
const STATUS = /(?<![\d.])([45]\.\d{1,3}\.\d{1,3})(?![.\d])/

/** The answer of a server: at the start of a line, or behind a sign of quotation. A code within prose is no answer. */
const ANSWER =
  /(?:^|[:>([|"'#*=])[ \t]{0,10}([45]\d\d)[- ](?:#?([45]\.\d{1,3}\.\d{1,3})(?![.\d]))?|[(#]{1,2}([45]\.\d{1,3}\.\d{1,3})\)/m

function readText({ header }: Message, text: string, sender: 'a mail system' | 'nobody'): PlainReport | null {
  const subject = decodeWords(header.get('subject') ?? '')
  const meaning = readWords(`${subject}\n${text}`)
  if (meaning === 'away') return null
  if (meaning === 'delayed') return { failed: false }
  const answer = ANSWER.exec(text)
  const code = answer?.[1] === undefined ? null : Number(answer[1])
  const status = answer?.[2] ?? answer?.[3] ?? STATUS.exec(text)?.[1] ?? null
  const isFinal = sender !== 'nobody' && answer !== null && (status?.startsWith('5') || (code ?? 0) >= 500)
  if (meaning !== 'failed' && !isFinal) return null
  const at = answer?.index ?? 0
  const from = Math.max(0, at - BEFORE_CODE)
  return { failed: true, status, smtpCode: code, words: text.slice(from, from + AROUND_CODE) }
}

function words(...rows: string[]): Words {
  return rows.flatMap((row) => row.split(', '))
}

/**
 * Classifies the words that a mail system writes about a mail, as far as they are known.
 * @returns `delayed` wins over `failed`, unless the words end all tries; null for words of neither kind
 */
function readWords(text: string): 'failed' | 'delayed' | 'away' | null {
  const small = text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/\s{1,20}/g, ' ')
  if (has(small, AWAY)) return 'away'
  if (has(small, GIVEN_UP)) return 'failed'
  if (has(small, DELAYED)) return 'delayed'
  return has(small, FAILED) ? 'failed' : null
}
