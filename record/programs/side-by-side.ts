/** Asks for many things, so many at once, and hands the answers out in their order; no more than those are in memory. */
export async function* sideBySide<Item, Answer>(
  items: Iterable<Item>,
  atOnce: number,
  ask: (item: Item) => Promise<Answer>,
): AsyncGenerator<{ item: Item; answer: Answer }> {
  const asked: { item: Item; answer: Promise<Answer> }[] = []
  for (const item of items) {
    const answer = ask(item)
    // A failure is thrown where its turn comes; until then it is no unhandled one.
    answer.catch(() => undefined)
    asked.push({ item, answer })
    const first = asked.length < atOnce ? undefined : asked.shift()
    if (first) yield { item: first.item, answer: await first.answer }
  }
  for (const { item, answer } of asked) yield { item, answer: await answer }
}
