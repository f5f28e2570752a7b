import { variables } from './env.ts'

/** Variables of compose.yaml, which reads the same file `.env`. */
const OF_COMPOSE = ['DOMAIN', 'POSTGRES_PASSWORD']

const known = Object.keys(variables)
const bare = (name: string) => name.replaceAll('_', '').toUpperCase()
const familyOf = (name: string) => name.split('_', 1)[0] ?? ''
/** First words that several variables of ours share, as DATABASE; one alone may be anybody's, as LOG. */
const families = known.map(familyOf).filter((family, nth, all) => all.indexOf(family) !== nth)

/**
 * Variables that were meant for the product and that nothing reads, mistyped ones above all.
 * @param set names in the environment, which others use as well: those count that begin as several of ours do (`STRIPE_…`), or are one of
 * ours but for case and underscores
 * @param inFile names in the file `.env`, which is the product's own
 */
export function unknownVariables(set: readonly string[], inFile: readonly string[]): string[] {
  const isMeant = (name: string) =>
    inFile.includes(name) ||
    families.includes(familyOf(name)) ||
    known.some((one) => bare(one) === bare(name))
  return [...new Set([...set, ...inFile])].filter(
    (name) => !known.includes(name) && !OF_COMPOSE.includes(name) && isMeant(name),
  )
}
