import type { Product } from '../product.ts'
import type { Hands, Query } from './engine.ts'

/** The main journey as a list that every browser is led through. */

/** The people beside the person at the page, and their actions. */
export type World = {
  product: Product
  /** The address of the person at the page. */
  email: string
  username: string
  /** Newest code of a sign-in mail to them; waits for it. */
  code(): Promise<string>
  /** They have held a share since yesterday. */
  hold(symbol: string): Promise<void>
  trader: string
  /** They follow the trader from now on. */
  follow(): Promise<void>
  /** The trader opens a position. */
  publish(symbol: string): Promise<void>
  /** Somebody whom they may subscribe to. */
  offered: string
}

type Step = { title: string; do(page: Hands, world: World): Promise<void> }

const button = (name: Query['name']) => ({ role: 'button', name }) as Query
const link = (name: Query['name']) => ({ role: 'link', name }) as Query
const field = (name: Query['name']) => ({ role: 'textbox', name }) as Query
const heading = (name: Query['name']) => ({ role: 'heading', name }) as Query
const like = ({ flags, source }: RegExp) => ({ flags, source })
const row = (words: RegExp): Query => ({ role: 'row', name: like(words) })
/** The library that finds elements drops the blank between two parts of a name. */
const subscribeTo = (name: string) => heading(like(new RegExp(`^Subscribe to ?@${name}$`)))
const inDialog = (query: Query): Query => ({ ...query, within: { role: 'dialog' } })

export const STEPS: readonly Step[] = [
  {
    title: 'sign-in by the code of a mail',
    async do(page, { code, email }) {
      await page.open('/')
      await page.click(link('Get started'))
      await page.fill(field(like(/e-mail/i)), email)
      await page.click(button('Continue'))
      await page.see(field('Code'))
      await page.fill(field('Code'), await code())
      await page.click(button('Continue'))
      await page.see(heading('Positions'))
    },
  },
  {
    title: 'a username, once',
    async do(page, { username }) {
      await page.click(link('Account'))
      await page.fill(field('Username'), username)
      await page.click(button('Set Username'))
      await page.click(inDialog(button('Confirm')))
      await page.until("return document.querySelector('input[name=username]')?.disabled", true)
    },
  },
  {
    title: 'the list',
    async do(page, { follow, hold, publish, trader }) {
      await hold('MSFT')
      await follow()
      await publish('ORCL')
      await page.click(link('Home'))
      await page.see(row(new RegExp(`ORCL.*@?${trader}`)))
      await page.see(row(/MSFT.*Me/))
    },
  },
  {
    title: 'a price is checked, and a position opened',
    async do(page) {
      await page.click(button('New Position'))
      await page.fill(field('Ticker'), 'aapl')
      await page.click(button('Check Price'))
      await page.see(button('Open Position'))
      await page.choose({ role: 'combobox', name: 'Position length' }, '1-3 weeks')
      await page.fill(field('Open notes'), 'Margins rise for the third quarter in a row.')
      await page.click({ role: 'checkbox' })
      await page.click(button('Open Position'))
      await page.see(row(/AAPL.*Me/))
    },
  },
  {
    title: 'what a trader opens comes by itself',
    async do(page, { publish, trader }) {
      await publish('NVDA')
      await page.see(row(new RegExp(`NVDA.*@?${trader}`)))
    },
  },
  {
    title: 'the window of a position, in which it is closed',
    async do(page) {
      await page.click(button('MSFT'))
      await page.click(inDialog(button('Close Position')))
      await page.click(inDialog(button('Check Price')))
      await page.fill(inDialog(field('Close notes')), 'Target reached before earnings.')
      await page.click(inDialog(button('Submit')))
      await page.seeNothingOf({ role: 'dialog' })
      await page.seeNothingOf(row(/MSFT/))
    },
  },
  {
    title: 'leaderboard',
    async do(page, { username }) {
      await page.click(link('Leaderboard'))
      await page.see(row(new RegExp(username)))
    },
  },
  {
    title: 'profile',
    async do(page, { username }) {
      await page.click(link(like(new RegExp(`^@?${username}$`))))
      await page.see(heading(username))
      await page.see(row(/MSFT/))
    },
  },
  {
    title: 'to the hosted page of a subscription and Back, to a page that goes on',
    async do(page, { offered, publish, trader }) {
      await page.open(`/trader/${offered}`)
      await page.click(button('Subscribe'))
      await page.see(subscribeTo(offered))
      await page.click(button(like(/^Continue( on Stripe)?$/)))
      await page.see(field('Card number'))
      await page.back()
      await page.see(subscribeTo(offered))
      await page.until('return document.readyState', 'complete')
      await page.click(link('Home'))
      await page.see(row(/AAPL.*Me/))
      await publish('INTC')
      await page.see(row(new RegExp(`INTC.*@?${trader}`)))
    },
  },
  {
    title: 'theme',
    async do(page) {
      for (const theme of ['Light', 'Dark']) {
        await page.click({ label: 'Theme' })
        await page.click({ text: theme })
        await page.until('return document.documentElement.className', theme.toLowerCase())
        await page.click({ label: 'Theme' })
      }
    },
  },
  {
    title: 'the drawer of a narrow window',
    async do(page) {
      await page.resize(500, 800)
      await page.click(button('Menu'))
      await page.click({ ...link('Leaderboard'), within: { role: 'dialog', name: 'Menu' } })
      await page.seeNothingOf({ role: 'dialog', name: 'Menu' })
      await page.see(heading('Leaderboard'))
      await page.resize(1280, 800)
    },
  },
  {
    title: 'Logout, after which Back shows nothing',
    async do(page, { username }) {
      await page.click(link('Logout'))
      await page.see(link('Get started'))
      await page.back()
      await page.see(link('Login'))
      await page.seeNothingOf({ text: like(new RegExp(username)) })
    },
  },
]
