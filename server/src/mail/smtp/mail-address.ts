/**
 * Whether an address can stand in an envelope and a header as it is: one recipient, no syntax of either. Quoted local
 * parts are legal but hardly exist; no mail is sent to them.
 */
export function isWritableAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u.test(address)
}
