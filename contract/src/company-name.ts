/** Words that are written small within a name. */
const SMALL = new Set(['and', 'at', 'de', 'for', 'in', 'of', 'on', 'the', 'to'])
/** Abbreviations that are pronounced letter by letter though they have a vowel, and numbers of series. */
const CAPITALS = new Set(
  'AB ADR AES AG AI AIG AMC AMD AON ASA ASML AT&T EOG ESG ETF ETN EV EQT GE IBM II III IT IV IX LLC LLP LP MSCI NASDAQ NVIDIA NY NYSE PLC REIT SA SAP SE UBS UCITS UK UPS US USA USD VI VII VIII XI'.split(
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
/** Names that are known by capitals of their own. */
const OWN = new Map(['eBay', 'iShares', 'JPMorgan', 'PayPal'].map((name) => [name.toUpperCase(), name]))
const VOWEL = /[AEIOUYÀ-Ý]/u

/**
 * A company's name in ordinary capitals, for people to read. Lists of symbols shout: "APPLE INC" is Apple Inc. A name that has small letters
 * stays as it is, so that a second use changes nothing.
 */
export function readableName(name: string): string {
  if (/\p{Ll}/u.test(name)) return name
  return name.replaceAll(/[^\s/()-]+/gu, (word, at: number) => {
    const small = word.toLowerCase()
    return at > 0 && SMALL.has(small) ? small : writeWord(word)
  })
}

function writeWord(word: string): string {
  const bare = word.replaceAll(/[^A-Z0-9&]/g, '')
  const own = OWN.get(word)
  if (own !== undefined) return own
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
