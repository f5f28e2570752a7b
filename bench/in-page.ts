/** Functions that the benchmarks of screens run in the page. */

export async function timeCall({ path, key }: { path: string; key: string }): Promise<number> {
  const { access_token } = JSON.parse(localStorage.getItem(key) ?? '{}') as { access_token: string }
  const start = performance.now()
  await (await fetch(path, { headers: { authorization: `Bearer ${access_token}` } })).json()
  return performance.now() - start
}

export function timeChange({ link, painted }: { link: string; painted: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    const element = document.querySelector<HTMLElement>(link)
    if (!element) throw new Error(`nothing to click: ${link}`)
    const before = document.querySelector(painted)
    const start = performance.now()
    element.click()
    const look = () => {
      const found = document.querySelector(painted)
      // A skeleton has the shape of what it stands for, and is marked as busy.
      if (found && found !== before && !document.querySelector('main [aria-busy=true]')) {
        const frame = new MessageChannel()
        frame.port1.onmessage = () => resolve(performance.now() - start)
        requestAnimationFrame(() => frame.port2.postMessage(null))
      } else if (performance.now() - start > 10_000) reject(new Error(`nothing painted: ${painted}`))
      else requestAnimationFrame(look)
    }
    look()
  })
}

declare global {
  interface Window {
    longTasks: PerformanceObserver
    longest: number
  }
}

export function watchLongTasks(): void {
  window.longest = 0
  window.longTasks = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
  })
  window.longTasks.observe({ type: 'longtask' })
}

/** The longest since the last look in milliseconds, 0 when none took over 50. */
export async function longestTask(): Promise<number> {
  await new Promise((resolve) => requestIdleCallback(resolve))
  const late = window.longTasks.takeRecords().map(({ duration }) => duration)
  const longest = Math.max(window.longest, ...late)
  window.longest = 0
  return longest
}
