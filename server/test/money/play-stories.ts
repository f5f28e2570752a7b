import { type Made, type Story, subscriptionOf } from './empty-month-acts.ts'
import type { EmptyMonthScenario } from './empty-month-scenario.ts'

/** Lets all stories happen at once, and judges every day. @returns what each came to, by title */
export async function playStories(scenario: EmptyMonthScenario, stories: readonly Story[]) {
  const { back, has, judge, pass, stripe, testApp, told } = scenario
  const people = new Map<Story, Made & { began: Date }>()
  const began = testApp.clock.now()
  for (const story of stories) {
    const made = await (story.make ?? ((of) => of.makeMonth()))(scenario)
    people.set(story, { ...made, began })
    if (story.renews) continue
    await stripe.subscriptions.update(await subscriptionOf(scenario, made), { cancel_at_period_end: true })
  }
  await scenario.settle()
  const acts = stories.flatMap((story) => (story.acts ?? []).map(([day, act]) => ({ day, act, story })))
  const days = [...new Set([...acts.map(({ day }) => day), 31.1, 36.1, 40, 62.2])].toSorted(
    (one, other) => one - other,
  )
  const faults = new Map<Story, unknown>()
  let passed = 0
  for (const day of days) {
    await pass(day - passed)
    passed = day
    for (const { act, story } of acts.filter((one) => one.day === day)) {
      const made = people.get(story)
      if (made) await act(scenario, made).catch((fault: unknown) => faults.set(story, fault))
    }
    await scenario.settle()
    await judge()
  }
  const ends = new Map<string, { back: number; has: number; told: number[]; fault?: unknown }>()
  for (const [story, { person, trader }] of people) {
    const { title } = story
    const mails = await told(person)
    ends.set(title, {
      ...(faults.has(story) && { fault: faults.get(story) }),
      back: await back(person),
      has: await has(trader),
      told: mails.map(([, facts]) => (facts as { amountCents: number }).amountCents),
    })
  }
  return ends
}
