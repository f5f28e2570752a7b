import { Inbox, Info } from 'lucide-react'
import { Alert, AlertDescription, AlertTitle } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardContent, CardDescription, CardFooter, CardHeader, CardTitle } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Gain } from '../ui/gain.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { StatCard, statGrid } from '../ui/stat-card.tsx'
import { Table, TableBody, TableCaption, TableCell, TableHead, TableHeader, TableRow } from '../ui/table.tsx'
import { Sample } from './sample.tsx'

export function StatesSample() {
  return (
    <Sample title="Cards, tables, states">
      <div className={statGrid}>
        <StatCard label="Open positions">4</StatCard>
        <StatCard label="Closed positions">31</StatCard>
        <StatCard label="Average profit %">
          <Gain value="7.24" />
        </StatCard>
      </div>
      <CardSample />
      <AlertsSample />
      <EmptyState
        icon={<Inbox aria-hidden="true" />}
        title="No positions available."
        action={<Button>New Position</Button>}
      >
        Your open positions and those of the traders you follow appear here.
      </EmptyState>
      <ErrorPanel message="Something went wrong, please try again." onRetry={() => undefined} />
      <div className="flex items-center gap-4">
        <Spinner />
        <Skeleton className="h-9 w-44" />
      </div>
    </Sample>
  )
}

function CardSample() {
  return (
    <Card>
      <CardHeader>
        <CardTitle>A card</CardTitle>
        <CardDescription>With a description.</CardDescription>
      </CardHeader>
      <CardContent>
        <Table>
          <TableCaption>Recent positions</TableCaption>
          <TableHeader>
            <TableRow>
              <TableHead>Stock</TableHead>
              <TableHead>Opened</TableHead>
              <TableHead className="text-right">Profit</TableHead>
            </TableRow>
          </TableHeader>
          <TableBody>
            <TableRow>
              <TableCell data-label="Stock">AAPL</TableCell>
              <TableCell data-label="Opened">Nov 3, 2026</TableCell>
              <TableCell data-label="Profit" className="text-right">
                <Gain value="12.34" />
              </TableCell>
            </TableRow>
            <TableRow>
              <TableCell data-label="Stock">KO</TableCell>
              <TableCell data-label="Opened">Oct 12, 2026</TableCell>
              <TableCell data-label="Profit" className="text-right">
                <Gain value="-3.20" />
              </TableCell>
            </TableRow>
          </TableBody>
        </Table>
      </CardContent>
      <CardFooter>
        <Button size="sm">Action</Button>
      </CardFooter>
    </Card>
  )
}

function AlertsSample() {
  return (
    <>
      <Alert role="note">
        <Info aria-hidden="true" />
        <AlertTitle>Market Closed</AlertTitle>
        <AlertDescription>
          The market is currently closed. Please wait until market open to alert on a new position.
        </AlertDescription>
      </Alert>
      <Alert role="note" variant="destructive">
        <AlertTitle>Unable to open position</AlertTitle>
        <AlertDescription>Something went wrong...</AlertDescription>
      </Alert>
    </>
  )
}
