/**
 * Whether an address can stand in an envelope and a header as it is: one recipient, no syntax of either. Quoted local
 * parts are legal and unheard of; they are not written to.
 */
export function isWritableAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u.test(address)
}
