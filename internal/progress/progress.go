// Package progress shows the progress of long work: on a terminal a bar with the rate and the time
// left, otherwise a line from time to time.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/ehgnn/ehgnn/internal/sanitize"
)

// Screen is the output for progress.
type Screen struct {
	W        io.Writer
	Terminal bool
	Quiet    bool // show nothing
}

// Progress displays the progress of one piece of work.
type Progress struct {
	screen Screen
	unit   string
	bar    *progressbar.ProgressBar
	last   time.Time
}

// Interval is the minimum time between two lines, if the output is no terminal.
const Interval = 5 * time.Second

// Start starts the display for work of total units.
func (s Screen) Start(total int, unit string) *Progress {
	p := &Progress{screen: s, unit: unit, last: time.Now()}
	if s.Terminal && !s.Quiet {
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(s.W), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString(unit), progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(24))
	}
	return p
}

// At reports that done of total units are done, with a short text about the state.
func (p *Progress) At(done, total int, text string) {
	switch {
	case p.screen.Quiet:
	case p.bar != nil:
		p.bar.Describe(sanitize.Text(text))
		_ = p.bar.Set(done) // an error of the display does not stop the work
	case time.Since(p.last) >= Interval || done == total:
		p.last = time.Now()
		fmt.Fprintln(p.screen.W, sanitize.Short(sanitize.Text(fmt.Sprintf("%s %d/%d  %s", p.unit, done, total, text))))
	}
}

// Finish ends the display.
func (p *Progress) Finish() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}
