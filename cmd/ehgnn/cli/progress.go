package cli

import (
	"fmt"
	"strings"

	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/train"
)

// progress shows the progress of long work on standard error; nothing with --quiet.
func (a *app) progress(total int, unit string) *progress.Progress {
	return progress.Screen{W: a.Stderr, Terminal: a.Terminal, Quiet: a.quiet}.Start(total, unit)
}

// epochs returns a hook that reports each finished epoch of training.
func epochs(p *progress.Progress, epochs int) func(train.EpochInfo) {
	return func(e train.EpochInfo) {
		text := fmt.Sprintf("loss %.4f", e.TrainLoss)
		for _, s := range e.Valid {
			if strings.HasSuffix(s.Name, "_counted") { // equal in every epoch
				continue
			}
			text += fmt.Sprintf("  valid %s %.4f", strings.ReplaceAll(s.Name, "_", " "), s.Value)
		}
		p.At(e.Epoch, epochs, text)
	}
}
