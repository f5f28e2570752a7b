/** The message that every contender sends: of about the size of a position mail. */
export const FROM = 'signals@tradepost.example'
export const BODY = 'A signal of about the usual length, line by line.\r\n'.repeat(120)

export function recipient(index: number): string {
  return `follower${index}@people.example`
}
