import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/button.tsx'
import {
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
  DialogTrigger,
} from '../ui/dialog.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.ts'
import { Sample } from './sample.tsx'

const DrawerSample = lazy(async () => ({ default: (await import('./drawer-sample.tsx')).DrawerSample }))

export function WindowsSample() {
  const [drawer, setDrawer] = useState(false)
  return (
    <Sample title="Windows, tabs, toasts">
      <div className="flex flex-wrap gap-3">
        <Dialog>
          <DialogTrigger asChild>
            <Button variant="outline">Open dialog</Button>
          </DialogTrigger>
          <DialogContent>
            <DialogHeader>
              <DialogTitle>Username Confirmation</DialogTitle>
              <DialogDescription>Please confirm you want maria as your username.</DialogDescription>
            </DialogHeader>
            <DialogFooter>
              <DialogClose asChild>
                <Button variant="outline">Back</Button>
              </DialogClose>
              <Button>Confirm</Button>
            </DialogFooter>
          </DialogContent>
        </Dialog>
        <Button variant="outline" onClick={() => setDrawer(true)}>
          Open drawer
        </Button>
        <Suspense fallback={null}>{drawer && <DrawerSample onClose={() => setDrawer(false)} />}</Suspense>
        <Button variant="outline" onClick={() => toast.success('A position for AAPL has been opened!')}>
          Toast
        </Button>
        <Button variant="outline" onClick={() => toast.error("It looks like that didn't work.")}>
          Error toast
        </Button>
        <Button variant="outline" onClick={() => toast.loading('Loading …')}>
          Loading toast
        </Button>
      </div>
      <Tabs defaultValue="all">
        <TabsList aria-label="Positions">
          <TabsTrigger value="all">All</TabsTrigger>
          <TabsTrigger value="personal">Personal</TabsTrigger>
          <TabsTrigger value="subscription">Subscription</TabsTrigger>
        </TabsList>
        <TabsContent value="all">Everything</TabsContent>
        <TabsContent value="personal">Your own</TabsContent>
        <TabsContent value="subscription">Those of others</TabsContent>
      </Tabs>
    </Sample>
  )
}
