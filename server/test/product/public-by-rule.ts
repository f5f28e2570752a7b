/*
 * The parts of somebody's acts that everybody may see, by call and place of the answer, each with its reason. Everything else that a
 * stranger can ask or receives is the same whatever unrelated people open within their plan, close, look at, type or subscribe to (ADR 0087). A
 * feature that makes something public has its line here.
 */
export type PublicLine = { call: RegExp; place: RegExp; because: string }

export const PUBLIC_BY_RULE: readonly PublicLine[] = [
  {
    call: /^(search|profile) \?username=anton$/,
    place: /^body\.openPositions$/,
    because: 'how many positions somebody has open is what a follower decides by',
  },
  {
    call: /^(search|profile) \?username=anton$/,
    place: /^body\.since$/,
    because: 'since when somebody publishes keeps a newcomer from passing for a trader of long standing',
  },
  {
    call: /^(search|profile) \?username=anton$/,
    place: /^body\.(closedPositions|averageProfit|latestPositions|record)\b/,
    because: 'a closed position is everybody’s, and so is what is counted of closed ones',
  },
  {
    call: /^profile \?username=anton$/,
    place: /^body\.about$/,
    because: 'traders write it for everybody (rule G-111)',
  },
  {
    call: /^profile \?username=anton$/,
    place: /^body\.pastPlan\b/,
    because: 'past its plan a position is everybody’s (rule G-16)',
  },
  {
    call: /^closedPositions anton$/,
    place: /^body\./,
    because: 'closed positions are the record that a trader is judged by',
  },
  {
    call: /^trackRecord anton$/,
    place: /^body\./,
    because: 'the curve is made of closed positions, and of those that are past their plan',
  },
  {
    call: /^page anton$/,
    place: /^body$/,
    because: 'a trader’s public page shows the same, and of open positions how many there are and their ages',
  },
  {
    call: /^suggestions \?username=ant$/,
    place: /^body\./,
    because: 'names that have been published under are suggested, with the mean of what they closed',
  },
  {
    call: /^status$/,
    place: /^body\.lastMonth\.(mails|events)$/,
    because: 'mails and events of a whole month are counted for everybody, in tens (rule G-100)',
  },
  {
    call: /^status$/,
    place: /^body\.lastMonth\.returnedMonths$/,
    because:
      'how many paid months went back in a whole month, over all traders and in tens, shows that the promise is kept (rule G-127)',
  },
  {
    call: /^positionHistory own$/,
    place: /^body\.receipts\b/,
    because:
      'a receipt leads to the root over everybody’s entries, and how many there are is public (rule G-116)',
  },
  {
    call: /^(leaderboard|offered|proven) $/,
    place: /^body\./,
    because: 'boards rank everybody by closed positions, and so move the ranks of others',
  },
]

/** Headers that are made of the body. */
export const OF_THE_BODY = /^header\.(etag|content-length)$/
