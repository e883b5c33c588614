package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ehgnn/ehgnn/train"
)

// progress shows how far long work has come, on standard error: on a terminal a bar with
// the rate and the time left, elsewhere a line from time to time, with --quiet nothing.
type progress struct {
	app  *app
	unit string
	bar  *progressbar.ProgressBar
	last time.Time
}

// plainInterval is the least time between two lines where there is no terminal.
const plainInterval = 5 * time.Second

func (a *app) progress(total int, unit string) *progress {
	p := &progress{app: a, unit: unit, last: time.Now()}
	if a.Terminal && !a.quiet {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(a.Stderr), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24))
	}
	return p
}

// at reports that done of total are done, with a short text on the state.
func (p *progress) at(done, total int, text string) {
	switch {
	case p.app.quiet:
	case p.bar != nil:
		p.bar.Describe(plain(text))
		_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
	case time.Since(p.last) >= plainInterval || done == total:
		p.last = time.Now()
		p.app.tell("%s %d/%d  %s", p.unit, done, total, text)
	}
}

// epoch returns a hook that reports each finished epoch of training.
func (p *progress) epoch(epochs int) func(train.EpochInfo) {
	return func(e train.EpochInfo) {
		text := fmt.Sprintf("loss %.4f", e.TrainLoss)
		for _, s := range e.Valid {
			if strings.HasSuffix(s.Name, "_counted") { // the same in every epoch
				continue
			}
			text += fmt.Sprintf("  valid %s %.4f", strings.ReplaceAll(s.Name, "_", " "), s.Value)
		}
		p.at(e.Epoch, epochs, text)
	}
}

// finish ends the display.
func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
