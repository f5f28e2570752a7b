/** Words of mail systems to people, in small letters, between commas. The languages are those of which reports were seen. */
type Words = readonly string[]

function words(...rows: string[]): Words {
  return rows.flatMap((row) => row.split(', '))
}

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

/** It is still tried. */
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

/** Of people who are not there: an answer, and none of a mail system. */
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

/**
 * What a mail system tells a person of a mail, as far as its words are known.
 * @returns `delayed` wins over `failed`, unless it says that nobody tries any more; null for words that say neither
 */
export function readWords(text: string): 'failed' | 'delayed' | 'away' | null {
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
