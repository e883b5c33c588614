//go:build unix

package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/scale/internal/tiny"
	"github.com/ehgnn/ehgnn/scale/pipeline"
	"github.com/ehgnn/ehgnn/scale/store"
	"github.com/ehgnn/ehgnn/task"
)

// BenchmarkPrism predicts for graphs with hubs by ehgnn-edge with three layers of width 32.
func BenchmarkPrism(b *testing.B) {
	small := tiny.Multigraph{Seed: 1, Nodes: 60, Edges: 300, Features: true}
	tables := b.TempDir()
	small.Write(b, tables)
	run := tiny.Trained(b, tables, "ehgnn-edge", false, task.Values{"hidden": 32})
	for _, edges := range []int{1e5, 1e6} {
		b.Run(fmt.Sprintf("edges=%d", edges), func(b *testing.B) {
			large := small
			large.Nodes, large.Edges = edges/10, edges
			tables := b.TempDir()
			large.Write(b, tables)
			in := tiny.Packed(b, tables, run, store.Options{BlockEdges: 1 << 16, Parts: 4})
			debug.FreeOSMemory()
			os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak counts from here
			var before, after syscall.Rusage
			syscall.Getrusage(syscall.RUSAGE_SELF, &before)
			for i := 0; b.Loop(); i++ {
				c := prism(b, run, in)
				c.Out = filepath.Join(c.Out, strconv.Itoa(i))
				m, err := pipeline.Run(b.Context(), c)
				if err != nil {
					b.Fatal(err)
				}
				shuffled := int64(0)
				for _, t := range m.Turns[1:] {
					shuffled += t.Shuffled
				}
				b.ReportMetric(float64(shuffled)/float64(edges)/float64(len(m.Turns)-1), "shuffled-B/edge/layer")
			}
			syscall.Getrusage(syscall.RUSAGE_SELF, &after)
			b.ReportMetric((seconds(after)-seconds(before))/float64(b.N), "cpu-s/op")
			b.ReportMetric(peak(), "peak-MB")
		})
	}
}

func seconds(u syscall.Rusage) float64 {
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// peak is the greatest memory that the process has had, where the system says it.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	if m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status); m != nil {
		kb, _ := strconv.ParseFloat(string(m[1]), 64)
		return kb / 1000
	}
	return 0
}
