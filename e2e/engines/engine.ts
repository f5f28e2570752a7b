import { join } from 'node:path'
import { expect } from '@playwright/test'
import { build } from 'esbuild'

/** An element by its role and name, or by its text or label, as far as it can be seen. */
export type Query = {
  role?: string
  name?: string | { source: string; flags: string }
  text?: string | { source: string; flags: string }
  /** The label of an element without a role, such as the head of a menu. */
  label?: string
  within?: Query
}

/** A page of a browser, whichever drives it. An element `E` is what its driver hands out. */
export type Driver<E> = {
  open(url: string): Promise<void>
  back(): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Runs the body of a function in the page. @returns what it returns, as JSON */
  evaluate(body: string): Promise<unknown>
  /** The same for a body that returns an element or null. */
  element(body: string): Promise<E | null>
  click(element: E): Promise<void>
  /** Types at the end of a field that has been emptied. */
  type(element: E, text: string): Promise<void>
  close(): Promise<void>
}

/** The browser itself has ended, or given up its session: a fault of its own, which says nothing about the page. */
export class BrowserEnded extends Error {}

/** Nothing comes of a browser that has ended: its end is passed on, other faults are answered. */
export function faultOf(error: unknown): string {
  if (error instanceof BrowserEnded) throw error
  return String(error)
}

let finder: Promise<string> | null = null

/** Elements are found by Testing Library in every engine, since what drivers call a role and a name differs. */
async function buildFinder(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'finder.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** The actions of a person on a page, and the states that they wait for. Each waits for the element that it needs. */
export type Hands = {
  open(path: string): Promise<void>
  back(): Promise<void>
  resize(width: number, height: number): Promise<void>
  see(query: Query): Promise<void>
  seeNothingOf(query: Query): Promise<void>
  click(query: Query): Promise<void>
  fill(query: Query, text: string): Promise<void>
  choose(query: Query, label: string): Promise<void>
  /** Waits until the body of a function returns what is expected. */
  until(body: string, expected: unknown): Promise<void>
}

/** The body of a function that returns where the element of another one stands, or that something still moves. */
const placeOf = (element: string) => `
  const moves = document.getAnimations().some(({ effect, playState }) =>
    playState === 'running' && Number.isFinite(effect.getComputedTiming().endTime))
  if (moves) return 'moving'
  const { x, y, width, height } = (() => {${element}})().getBoundingClientRect()
  return [x, y, width, height].join()`

/** @param url of the product, before every path */
export function handsOn<E>(driver: Driver<E>, url: string): Hands {
  const script = (query: Query) => `return window.findForJourney(${JSON.stringify(query)})`
  const find = async (query: Query): Promise<E | null> => {
    finder ??= buildFinder()
    const isThere = await driver.evaluate('return typeof window.findForJourney === "function"')
    if (!isThere) await driver.evaluate(`${await finder}; return null`)
    return driver.element(script(query))
  }
  // A page that is being left answers with an error, and a list that is drawn again removes the element: looked for again.
  const act = async (query: Query, what: (element: E) => Promise<unknown>): Promise<void> => {
    let fault: unknown = 'not found'
    await expect
      .poll(
        async () => {
          try {
            const found = await find(query)
            if (found === null) return String(fault)
            // Drivers click disabled elements without effect: the prerendered form is disabled until the app is there.
            if (await driver.evaluate(`${script(query)}?.matches(':disabled')`)) return 'disabled'
            // They aim, then press: a window that slides in, or grows by what has loaded, is pressed beside the button.
            const place = await driver.evaluate(placeOf(script(query)))
            if (place === 'moving' || place !== (await driver.evaluate(placeOf(script(query)))))
              return 'moving'
            await what(found)
            return 'done'
          } catch (error) {
            fault = error
            return faultOf(error)
          }
        },
        { message: `to act on ${JSON.stringify(query)}` },
      )
      .toBe('done')
  }
  const isThere = (query: Query) =>
    find(query).then(
      (found) => found !== null,
      (error) => void faultOf(error),
    )
  const until = (body: string, expected: unknown) =>
    expect.poll(() => driver.evaluate(body).catch(faultOf), { message: body }).toEqual(expected)
  return {
    open: (path) => driver.open(url + path),
    back: () => driver.back(),
    resize: (width, height) => driver.resize(width, height),
    see: (query) => expect.poll(() => isThere(query), { message: JSON.stringify(query) }).toBe(true),
    seeNothingOf: (query) =>
      expect.poll(() => isThere(query), { message: `no ${JSON.stringify(query)}` }).toBe(false),
    click: (query) => act(query, (element) => driver.click(element)),
    fill: (query, text) =>
      act(query, async (element) => {
        await driver.type(element, text)
        // A screen that was drawn again meanwhile has another field.
        const typed = await driver.evaluate(`${script(query)}?.value`)
        if (typed !== text) throw new Error(`the field holds "${typed}"`)
      }),
    async choose(query, label) {
      await act(query, async () => {
        const chosen = await driver.evaluate(`
          const select = window.findForJourney(${JSON.stringify(query)})
          const option = [...select.options].find(({ label }) => label === ${JSON.stringify(label)})
          select.value = option.value
          select.dispatchEvent(new Event('input', { bubbles: true }))
          select.dispatchEvent(new Event('change', { bubbles: true }))
          return select.selectedOptions[0].label`)
        if (chosen !== label) throw new Error(`"${chosen}" is chosen`)
      })
    },
    until,
  }
}
