/** Characters that are drawn as nothing, which come along when a text is copied. */
const INVISIBLE = /[\p{Format}\p{Default_Ignorable_Code_Point}]/gu

/** A typed or pasted text as a person sees it, without blanks around it: full-width letters are letters. */
export function seenText(text: string): string {
  return text.normalize('NFKC').replaceAll(INVISIBLE, '').trim()
}
