/** Domains of one mail provider: the same mailbox under each. */
const SAME_DOMAIN: Readonly<Record<string, string>> = { 'googlemail.com': 'gmail.com' }

/**
 * The address of a person without what one mailbox can be written with in many ways: dots, a tag behind `+`, case (rule G-123). It is no
 * address to mail to.
 * @param email normalised
 */
export function personalAddress(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email.slice(0, at).toLowerCase()
  const domain = email.slice(at + 1).toLowerCase()
  const [untagged = ''] = local.split('+', 1)
  const bare = untagged.replaceAll('.', '')
  // Nothing but a tag: the whole of it is the mailbox.
  return `${bare === '' ? local : bare}@${SAME_DOMAIN[domain] ?? domain}`
}
