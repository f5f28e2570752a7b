import PostalMime, { type Address } from 'postal-mime'
import type { Content } from './message-store.ts'

/**
 * Reads a message as it came over the wire (RFC 5322, MIME).
 * @param sender the envelope's, used when the message names none
 * @throws when the message is nested beyond reason
 */
export async function readMessage(raw: Buffer, sender: string): Promise<Content> {
  const mail = await PostalMime.parse(raw)
  // A record without a prototype: a header may be called anything.
  const headers: Record<string, string> = Object.create(null)
  for (const { key, value } of mail.headers)
    headers[key] = headers[key] === undefined ? value : `${headers[key]}\n${value}`
  return {
    from: mail.from ? addressText(mail.from) : sender,
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    headers,
  }
}

function addressText({ name, address }: Address): string {
  return name && address ? `${name} <${address}>` : (address ?? name)
}
