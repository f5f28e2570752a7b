import type { BoardTrader } from '@tradepost/contract/landing-board'
import { beforeEach, expect, test } from 'vitest'
import { drawBoard } from './drawings.tsx'

const trader: BoardTrader = {
  username: 'maria',
  averageGain: '5.694',
  closed: 24,
  wins: 19,
  sparkline: [100, 104],
}
const board = { traders: [trader], closed: 1284, ranked: 12, halfSeconds: '1.2' }

let page = document.createElement('div')
beforeEach(() => {
  page = document.createElement('div')
})

/** The board as the elements that a browser makes of it. */
function draw(facts: Partial<typeof board>): HTMLElement {
  page.innerHTML = drawBoard({ ...board, ...facts })
  return page
}

const textsOf = (selector: string) =>
  [...page.querySelectorAll(selector)].map(({ textContent }) => textContent)

test('a row names the trader and leads to their public page; without one it leads to sign-in, and the curve may be missing', () => {
  draw({ traders: [trader, { ...trader, username: null, averageGain: '-0.5', sparkline: null }] })
  const links = [...page.querySelectorAll('li a')].map((link) => link.getAttribute('href'))
  expect(links).toEqual(['/t/maria', '/login'])
  expect(textsOf('li')).toEqual([
    'maria24 closed · 79 % winsgain +5.69%',
    'A trader24 closed · 79 % winsloss -0.50%',
  ])
  expect(page.querySelectorAll('[data-slot=sparkline]')).toHaveLength(1)
  expect(page.querySelector('li path')?.getAttribute('d')).toBe('M2 22L70 2')
  expect(page.querySelectorAll('[data-slot=monogram]')).toHaveLength(1)
})

test('the figures are grouped by thousands; the speed of mails leads to /status, and is left out while no mail went', () => {
  draw({})
  expect(textsOf('dt')).toEqual([
    'Positions closed at market prices',
    'Traders ranked',
    'Half of all mails sent within',
  ])
  expect(textsOf('dd')).toEqual(['1,284', '12', '1.2 s'])
  expect(page.querySelector('dt a')?.getAttribute('href')).toBe('/status')
  page.innerHTML = drawBoard({ ...board, halfSeconds: null })
  expect(textsOf('dd')).toEqual(['1,284', '12'])
})

test('no name becomes an element, an attribute or another address', () => {
  const username = `"><script>alert(1)</script><a href='//evil.example/..`
  draw({ traders: [{ ...trader, username }] })
  expect(page.querySelectorAll('script')).toHaveLength(0)
  expect(page.querySelectorAll('li a')).toHaveLength(1)
  expect(page.querySelector('li a')?.getAttribute('href')).toMatch(/^\/t\/%22%3E%3Cscript%3E[^/]*%2Fscript/)
  expect(page.querySelector('li [translate=no]')?.textContent).toBe(username)
})

test('the page has no inline style, which the policy of the page refuses', () => {
  expect(drawBoard(board)).not.toMatch(/\sstyle=/)
})
