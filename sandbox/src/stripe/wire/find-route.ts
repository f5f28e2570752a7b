import type { Route } from './route.ts'

export type Match = { route: Route; id: string }

/** Finds the route that a method and a path mean, and the id that stands in the path; null: there is none. */
export function makeFinder(routes: readonly Route[]): (method: string, path: string) => Match | null {
  const known = routes.map((route) => {
    const [method = '', path = ''] = route.endpoint.split(' ')
    return { route, method, steps: path.split('/') }
  })
  // A word beats an id in the same place: `invoices/create_preview` is no invoice.
  known.sort((left, right) => left.steps.filter(isHole).length - right.steps.filter(isHole).length)
  return (method, path) => {
    const steps = path.split('/')
    const fits = known.find(
      (one) =>
        one.method === method &&
        one.steps.length === steps.length &&
        one.steps.every((step, index) => isHole(step) || step === steps[index]),
    )
    if (fits === undefined) return null
    const place = fits.steps.findIndex(isHole)
    return { route: fits.route, id: place < 0 ? '' : decodeURIComponent(steps[place] ?? '') }
  }
}

function isHole(step: string): boolean {
  return step === ':id'
}
