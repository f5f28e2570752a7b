import { LEADERBOARD_MAX_COUNT } from '@tradepost/contract/limits'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'

const AVERAGE_RULES = [
  'The average gain is the mean over every position that a trader has closed. Open ones do not count.',
  'Prices are the market’s, at the opening and at the close. Nobody can type one in.',
  'One closed position is enough to be ranked. Where averages are equal, more closed positions come first.',
  `The first ${LEADERBOARD_MAX_COUNT} are shown, and your own rank.`,
]

/** Where there is room for the curve. */
const CURVE_RULE =
  'The small curve is what equal stakes in the positions of each day came to, over the last 252 sessions. Open ones are in it once they are past their plan.'

const PROVEN_RULES = [
  'A position counts from the closing bell of its first session to that of its last one, once it is closed or past its plan. So a loser that is never closed counts too.',
  'What the market as a whole did is taken away, and so is what came of leaning on it. A loss that is smaller than the index’s lies above zero here, and below it in the average gain.',
  'The bar holds what one position brings over the index, with 80 % certainty. Few sessions make a wide one.',
  'A bar above zero is skill that shows, one across zero may be luck. Within a class the lower end ranks.',
  'A bar of too few sessions is provisional: it says more about all traders than about this one, and has no rank.',
  'Computed every night from the last 252 sessions.',
]

/** Beside the leaderboard: how it comes about (rules G-34, G-50 and G-66, ADR 0053), and its limits. */
export function RankingRules({ by }: { by: 'average' | 'proven' }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>How traders are ranked</CardTitle>
      </CardHeader>
      <CardContent className="space-y-4 text-sm">
        <ul className="list-disc space-y-2 pl-4 marker:text-muted-foreground">
          {(by === 'proven' ? PROVEN_RULES : AVERAGE_RULES).map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
          {by === 'average' && <li className="max-[24rem]:hidden">{CURVE_RULE}</li>}
        </ul>
        <p className="text-muted-foreground">
          {by === 'proven'
            ? 'It says what has been so. Nobody knows what will be.'
            : 'An average of few positions says little. A profile shows how they went, one by one.'}
        </p>
      </CardContent>
    </Card>
  )
}
