package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/experiment"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// live shows the progress of a grid on standard error. On a terminal it redraws the table in place,
// with the running jobs below. Elsewhere it prints a line from time to time and for every failure;
// with --quiet nothing.
type live struct {
	app     *app
	ctx     context.Context
	size    func() (width, height int)
	begun   time.Time
	last    time.Time
	drawn   int // lines on the screen
	running []runningJob
	jobs    atomic.Int32 // number of running jobs
}

type runningJob struct {
	experiment.Job
	epoch, epochs int
	loss          float64
}

// redraw is the smallest time between two drawings.
const redraw = 200 * time.Millisecond

func (a *app) live(ctx context.Context) *live {
	return &live{app: a, ctx: ctx, begun: time.Now(), last: time.Now(), size: func() (int, int) {
		if w, h, ok := screenSize(a.screen); ok {
			return w, h
		}
		return 100, 50
	}}
}

// event receives progress reports of a grid; calls do not overlap.
func (l *live) event(e experiment.Event) {
	l.follow(e)
	switch {
	case l.app.quiet || l.ctx.Err() != nil:
	case l.app.Terminal:
		if e.Ended() || time.Since(l.last) >= redraw {
			l.last = time.Now()
			l.draw(e.Grid)
		}
	case e.Failure != nil:
		l.app.tell("%s failed: %s", e.Failure.Job, e.Failure.Error)
	case e.Result != nil:
		over := e.Grid.Done()+e.Grid.Failed() == e.Grid.Total()
		if over || time.Since(l.last) >= progress.Interval {
			l.last = time.Now()
			r := e.Result
			l.app.tell("%s  %s: test %.2f, best epoch %d of %d, %.0f s", l.status(e.Grid), r.Job, r.Test, r.BestEpoch, r.Epochs, r.Seconds)
		}
	}
}

// follow updates the list of running jobs, in the order in which they started.
func (l *live) follow(e experiment.Event) {
	at := slices.IndexFunc(l.running, func(r runningJob) bool { return r.Job == e.Job })
	switch {
	case at >= 0 && e.Ended():
		l.running = slices.Delete(l.running, at, at+1)
	case at < 0 && !e.Ended():
		l.running = append(l.running, runningJob{Job: e.Job, epochs: e.Epochs})
	case at >= 0 && e.Epoch != nil:
		l.running[at].epoch = e.Epoch.Epoch
		l.running[at].loss = e.Epoch.TrainLoss
	}
	l.jobs.Store(int32(len(l.running)))
}

// unfinished describes what would be lost if the program ended now.
func (l *live) unfinished() string {
	if n := l.jobs.Load(); n > 0 {
		return fmt.Sprintf("the step under way of jobs that run (%d)", n)
	}
	return ""
}

// status summarises the progress in a line: job 12/140, 1 failed, about 5m left.
func (l *live) status(g *experiment.Grid) string {
	text := fmt.Sprintf("job %d/%d", g.Done()+g.Failed(), g.Total())
	if n := g.Failed(); n > 0 {
		text += fmt.Sprintf(", %d failed", n)
	}
	if s := g.SecondsLeft(); s > 0 {
		text += ", about " + roughly(s) + " left"
	}
	return text
}

// roughly formats a time: 40s, 5m, 2h10m.
func roughly(seconds float64) string {
	d := time.Duration(min(seconds, 1e9) * float64(time.Second))
	switch {
	case d < time.Minute:
		return d.Round(time.Second).String()
	case d < time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	text := strings.TrimSuffix(d.Round(10*time.Minute).String(), "0s")
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// draw writes the table over the last drawing.
func (l *live) draw(g *experiment.Grid) {
	width, height := l.size()
	lines := g.Table().Compact(width)
	tail := []string{""}
	for _, r := range l.running {
		text := "  " + r.Job.String()
		if r.epoch > 0 {
			text += fmt.Sprintf(": epoch %d of at most %d, loss %.4f", r.epoch, r.epochs, r.loss)
		}
		tail = append(tail, text)
	}
	tail = append(tail, fmt.Sprintf("%s, %s so far", l.status(g), roughly(time.Since(l.begun).Seconds())))
	// A screen that has scrolled cannot be redrawn, so the table is shortened first.
	if room := max(height-1-len(tail), 0); len(lines) > room {
		lines = lines[:room]
	}
	if lines = append(lines, tail...); len(lines) > height-1 {
		lines = lines[len(lines)-max(height-1, 1):]
	}
	var b strings.Builder
	b.WriteString(l.moveUp())
	for _, line := range lines {
		b.WriteString(cut(sanitize.Text(line), width-1) + "\n")
	}
	l.drawn = len(lines)
	fmt.Fprint(l.app.Stderr, b.String())
}

// moveUp moves to the start of the last drawing and clears it.
func (l *live) moveUp() string {
	if l.drawn == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", l.drawn)
}

// cut shortens a line so that it does not wrap.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:max(width, 0)])
}

// finish clears the display before the result is printed.
func (l *live) finish() {
	if l.drawn > 0 {
		fmt.Fprint(l.app.Stderr, l.moveUp())
		l.drawn = 0
	}
}
