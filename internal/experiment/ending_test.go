package experiment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/train"
)

// A training that diverges counts with its best epoch, if it has one.
func TestEnding(t *testing.T) {
	three := []train.EpochInfo{{Epoch: 1}, {Epoch: 2}, {Epoch: 3}}
	diverged := fmt.Errorf("in a part: %w", &train.DivergedError{Epoch: 4})
	for _, c := range []struct {
		fit  *train.Result
		err  error
		want ending
		ok   bool
	}{
		{&train.Result{History: three, BestEpoch: 2, Seconds: 5}, nil, ending{2, 3, 5, false}, true},
		{&train.Result{History: three, BestEpoch: 2, Seconds: 5}, diverged, ending{2, 3, 5, true}, true},
		{&train.Result{}, diverged, ending{}, false},
		{&train.Result{History: three, BestEpoch: 2}, context.Canceled, ending{}, false},
		{nil, errors.New("no luck"), ending{}, false},
	} {
		got, err := endingOf(c.fit, c.err)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("%v after %v: %v, %v", c.fit, c.err, got, err)
		}
	}
}

// The document of a series names the trainings that diverged, also those of an earlier call.
func TestSeriesDiverged(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		s, err := openSeries[moonResult](&call{Env: Env{Threads: 1}}, dir)
		if err != nil {
			t.Fatal(err)
		}
		var list []training[moonResult]
		for i, name := range []string{"fine", "wild"} {
			list = append(list, training[moonResult]{what: name, name: name, do: func(context.Context, work) (moonResult, error) {
				return moonResult{ending: ending{Diverged: i == 1}}, nil
			}})
		}
		if _, err := s.run(t.Context(), "stage", list); err != nil {
			t.Fatal(err)
		}
		d, err := s.write(&report.Document{Title: "t"}, dir)
		s.finish()
		if err != nil || len(d.Remarks) != 1 || !strings.HasSuffix(d.Remarks[0], "before: wild.") {
			t.Errorf("remarks %q, %v", d.Remarks, err)
		}
	}
}
