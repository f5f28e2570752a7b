import { LEADERBOARD_MAX_COUNT } from '@tradepost/contract/limits'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'

const RULES = [
  'The average gain is the mean over every position that a trader has closed. Open ones do not count.',
  'Prices are the market’s, at the opening and at the close. Nobody can type one in.',
  'One closed position is enough to be ranked. Where averages are equal, more closed positions come first.',
  `The first ${LEADERBOARD_MAX_COUNT} are shown.`,
]

/** Beside the leaderboard: how it comes about (decisions G-34, G-50 and G-66), and what it does not say. */
export function RankingRules() {
  return (
    <Card>
      <CardHeader>
        <CardTitle>How traders are ranked</CardTitle>
      </CardHeader>
      <CardContent className="space-y-4 text-sm">
        <ul className="list-disc space-y-2 pl-4 marker:text-muted-foreground">
          {RULES.map((rule) => (
            <li key={rule}>{rule}</li>
          ))}
        </ul>
        <p className="text-muted-foreground">
          An average of few positions says little. A profile shows how many there are, and the last ones.
        </p>
      </CardContent>
    </Card>
  )
}
