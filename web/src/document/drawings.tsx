/* The server draws with these components of the web app whatever depends on data (ADR 0115, ADR 0116). */
import type { Drawings } from '@tradepost/contract/drawings'
import { renderToStaticMarkup } from 'react-dom/server'
import { Board } from '../features/landing/board.tsx'
import { PublicFrame } from './public-frame.tsx'
import { PublicHead } from './public-head.tsx'
import { PublicPage } from './public-page.tsx'
import { PublicPicture } from './public-picture.tsx'

export const drawBoard: Drawings['drawBoard'] = (board) => renderToStaticMarkup(<Board {...board} />)

export const drawPublicPage: Drawings['drawPublicPage'] = (record, now) =>
  renderToStaticMarkup(
    <PublicFrame>
      <PublicPage of={record} now={now} />
    </PublicFrame>,
  )

export const drawPublicHead: Drawings['drawPublicHead'] = (record, places) =>
  renderToStaticMarkup(<PublicHead of={record} {...places} />)

export const drawPicture: Drawings['drawPicture'] = (record, now) =>
  renderToStaticMarkup(<PublicPicture of={record} now={now} />)
