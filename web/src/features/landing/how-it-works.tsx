type Path = { title: string; steps: readonly string[] }

const paths: readonly Path[] = [
  {
    title: 'If you want to follow',
    steps: [
      'Find a trader on the leaderboard, or search for a name.',
      'Look at the closed positions and the average profit, and subscribe.',
      'Get an e-mail at every open and every close. What you do with it is up to you.',
    ],
  },
  {
    title: 'If you trade',
    steps: [
      'Pick a username. It is shown above your record and cannot be changed.',
      'Check the price, say how long you plan to hold and why, and open the position.',
      'Close it with your reasons. Your gain goes into your record, and your followers know.',
    ],
  },
]

/** How it works, in three steps for either side. */
export function HowItWorks() {
  return (
    <section aria-labelledby="steps" className="border-t border-border py-14 sm:py-20">
      <h2 id="steps" className="text-2xl font-semibold tracking-tight">
        How it works
      </h2>
      <div className="mt-8 grid gap-10 md:grid-cols-2">
        {paths.map(({ title, steps }) => (
          <div key={title}>
            <h3 className="font-semibold">{title}</h3>
            <ol className="mt-4 space-y-4">
              {steps.map((step, index) => (
                <li key={step} className="flex gap-4">
                  <span
                    aria-hidden="true"
                    className="flex size-7 shrink-0 items-center justify-center rounded-full border border-border text-sm text-muted-foreground tabular-nums"
                  >
                    {index + 1}
                  </span>
                  <span className="pt-0.5 text-pretty text-muted-foreground">{step}</span>
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
    </section>
  )
}
