import type { LandingBoard } from './landing-board.ts'
import type { PublicRecord } from './public-record.ts'

/** The module that the build makes of the web app's components, for the server: it draws what depends on data and needs no script. */
export type Drawings = {
  /** @returns HTML, for the place between `BOARD_PLACE` in the document of / */
  drawBoard(board: LandingBoard): string
  /** @returns the content of a trader's public page at an instant, as HTML, for its place in `PUBLIC_PAGE_PLACES` */
  drawPublicPage(record: PublicRecord, now: Date): string
  /** @returns the elements of its head, as HTML */
  drawPublicHead(record: PublicRecord, of: HeadPlaces): string
  /** @returns the picture of the page, as SVG */
  drawPicture(record: PublicRecord, now: Date): string
}

export type HeadPlaces = {
  /** Of the page and of its picture, with their origin. */
  address: string
  picture: string
  /** Whether the document is the page itself: only then it names its address to search engines. */
  isPage: boolean
}

/** Words in the document of a public page in whose places the server puts its head and its content. */
export const PUBLIC_PAGE_PLACES = { head: '__HEAD__', content: '__CONTENT__' } as const
