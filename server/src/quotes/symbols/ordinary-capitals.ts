/** Words that are written small within a name. */
const SMALL = new Set(['and', 'at', 'de', 'for', 'in', 'of', 'on', 'the', 'to'])
/** Abbreviations that are pronounced letter by letter though they have a vowel, and numbers of series. */
const CAPITALS = new Set(
  'AB ADR AG AI AMC AMD AON ASA AT&T ETF ETN EV EQT IBM II III IT IV IX LLC LLP LP MSCI NASDAQ NYSE PLC REIT SA SE UBS UK UPS US USA VI VII VIII XI'.split(
    ' ',
  ),
)
/** Written in small letters though they have no vowel. */
const WORDS = new Set([
  'LTD',
  'MR',
  'MRS',
  'CL',
  'DR',
  'ST',
  'MT',
  'CTR',
  'SVCS',
  'SYS',
  'TR',
  'BNK',
  'HLDG',
  'HLDGS',
  'INTL',
  'GRP',
])
const VOWEL = /[AEIOUYÀ-Ý]/u

/**
 * A company's name in ordinary capitals. Lists of symbols shout: "APPLE INC" is Apple Inc. A name that has small letters stays as it is.
 */
export function ordinaryCapitals(name: string): string {
  if (/\p{Ll}/u.test(name)) return name
  return name.replaceAll(/[^\s/()-]+/gu, (word, at: number) => {
    const small = word.toLowerCase()
    return at > 0 && SMALL.has(small) ? small : writeWord(word)
  })
}

function writeWord(word: string): string {
  const bare = word.replaceAll(/[^A-Z0-9&]/g, '')
  if (CAPITALS.has(bare)) return word
  if (!WORDS.has(bare) && bare.length <= 4 && !VOWEL.test(word)) return word
  // After Mc, O', an ampersand and a full stop the next letter is large too.
  return word
    .toLowerCase()
    .replaceAll(
      /(^(?:mc|o')?|[&.])(\p{Ll})/gu,
      (_, before: string, letter: string) => capital(before) + letter.toUpperCase(),
    )
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
