package bench

import (
	"bytes"
	"os"
	"strconv"
)

// Neighbours measures the processor time of other processes. On a busy machine threads wait for a
// core, and measured times are too long.
type Neighbours struct{ start ticks }

// ticks are processor times since the machine started, in the system's unit.
type ticks struct {
	total, busy, own int64
	ok               bool
}

// WatchNeighbours starts counting.
func WatchNeighbours() Neighbours { return Neighbours{readTicks()} }

// Share is the share of the machine's processor time, since WatchNeighbours, that other processes
// used. ok is false if the system does not report it (other than Linux).
func (n Neighbours) Share() (share float64, ok bool) {
	return shareOf(n.start, readTicks())
}

func shareOf(a, b ticks) (share float64, ok bool) {
	total := b.total - a.total
	if !a.ok || !b.ok || total <= 0 {
		return 0, false
	}
	// The two files are not read at the same instant.
	return max(0, float64(b.busy-a.busy-(b.own-a.own))/float64(total)), true
}

func readTicks() ticks {
	machine, err1 := os.ReadFile("/proc/stat")
	process, err2 := os.ReadFile("/proc/self/stat")
	if err1 != nil || err2 != nil {
		return ticks{}
	}
	return parseTicks(machine, process)
}

// parseTicks parses the first line of /proc/stat (user, nice, system, idle, iowait, irq, softirq,
// steal) and /proc/self/stat, in which fields 14 and 15 are the time of the process. See proc(5).
func parseTicks(machine, process []byte) ticks {
	line, _, _ := bytes.Cut(machine, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 9 || string(fields[0]) != "cpu" {
		return ticks{}
	}
	var t ticks
	for i, f := range fields[1:9] {
		v, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return ticks{}
		}
		t.total += v
		if i != 3 && i != 4 { // idle, and idle while waiting for a disk
			t.busy += v
		}
	}
	// The name, field 2, is in brackets and may contain anything.
	own := bytes.Fields(process[bytes.LastIndexByte(process, ')')+1:])
	if len(own) < 13 {
		return ticks{}
	}
	for _, f := range own[11:13] {
		v, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return ticks{}
		}
		t.own += v
	}
	t.ok = true
	return t
}
