/** Of UTF-8, for all that a user says of themselves. */
const METADATA_MAX_BYTES = 2048
/** NUL and halves of surrogate pairs: JSON can say them, the database cannot keep them. */
export const UNSTORABLE = /\\u(0000|d[89a-f])/i

/** Whether what a person says of themselves can be kept: no more than 2,048 bytes as JSON, none of them unstorable. */
export function fitsMetadata(data: object): boolean {
  const text = JSON.stringify(data)
  return Buffer.byteLength(text) <= METADATA_MAX_BYTES && !UNSTORABLE.test(text)
}
