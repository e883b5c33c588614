package tfevents_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/tfevents"
)

// clock advances by a quarter of a second, which float64 represents exactly.
func clock(start int64) func() time.Time {
	t := time.Unix(start, 0)
	return func() time.Time {
		t = t.Add(250 * time.Millisecond)
		return t
	}
}

// event is a record as the decoder below reads it.
type event struct {
	Wall    float64
	Step    int64
	Version string
	Status  uint64 // of the session log
	Tag     string
	Value   float32
}

// readEvents decodes an event file by the definition of the format.
func readEvents(t *testing.T, path string) []event {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var events []event
	for len(b) > 0 {
		n := binary.LittleEndian.Uint64(b)
		wantCRC(t, b[:8], b[8:12])
		data := b[12 : 12+n]
		wantCRC(t, data, b[12+n:16+n])
		b = b[16+n:]
		var e event
		for _, f := range fields(t, data) {
			switch f.number {
			case 1:
				e.Wall = math.Float64frombits(f.bits)
			case 2:
				e.Step = int64(f.bits)
			case 3:
				e.Version = string(f.bytes)
			case 5:
				values := fields(t, f.bytes)
				if len(values) != 1 || values[0].number != 1 {
					t.Fatalf("summary %x has no single value", f.bytes)
				}
				for _, v := range fields(t, values[0].bytes) {
					switch v.number {
					case 1:
						e.Tag = string(v.bytes)
					case 2:
						e.Value = math.Float32frombits(uint32(v.bits))
					default:
						t.Fatalf("field %d in a summary value", v.number)
					}
				}
			case 7:
				log := fields(t, f.bytes)
				if len(log) != 1 || log[0].number != 1 {
					t.Fatalf("session log %x has no single status", f.bytes)
				}
				e.Status = log[0].bits
			default:
				t.Fatalf("field %d in an event", f.number)
			}
		}
		events = append(events, e)
	}
	return events
}

func wantCRC(t *testing.T, data, stored []byte) {
	t.Helper()
	c := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	if want, got := (c>>15|c<<17)+0xa282ead8, binary.LittleEndian.Uint32(stored); got != want {
		t.Fatalf("checksum of %x is %#x, want %#x", data, got, want)
	}
}

type field struct {
	number uint64
	bits   uint64 // of numbers
	bytes  []byte // of strings and messages
}

func fields(t *testing.T, b []byte) []field {
	t.Helper()
	var fs []field
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		b = b[n:]
		f := field{number: key >> 3}
		switch key & 7 {
		case 0:
			f.bits, n = binary.Uvarint(b)
		case 1:
			f.bits, n = binary.LittleEndian.Uint64(b), 8
		case 5:
			f.bits, n = uint64(binary.LittleEndian.Uint32(b)), 4
		case 2:
			size, k := binary.Uvarint(b)
			n = k + int(size)
			f.bytes = b[k:n]
		default:
			t.Fatalf("wire type %d", key&7)
		}
		fs = append(fs, f)
		b = b[n:]
	}
	return fs
}

func TestScalars(t *testing.T) {
	dir := t.TempDir()
	w, err := tfevents.Create(dir, tfevents.Options{Now: clock(1_700_000_000)})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300) // lengths of two bytes
	in := []struct {
		tag   string
		value float64
		step  int64
	}{
		{"loss/train", 0.25, 0},
		{"loss/train", 0.1, 1},
		{"größe", math.Inf(-1), 300},
		{long, 1e300, 1 << 40}, // beyond float32: infinity
	}
	for _, s := range in {
		if err := w.Scalar(s.tag, s.value, s.step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := filepath.Base(w.Path()), "events.out.tfevents.1700000000.000.ehgnn"; got != want {
		t.Errorf("file name %s, want %s", got, want)
	}
	want := []event{ // the first time is in the name of the file
		{Wall: 1_700_000_000.5, Version: "brain.Event:2"},
		{Wall: 1_700_000_000.75, Tag: "loss/train", Value: 0.25},
		{Wall: 1_700_000_001, Step: 1, Tag: "loss/train", Value: 0.1},
		{Wall: 1_700_000_001.25, Step: 300, Tag: "größe", Value: float32(math.Inf(-1))},
		{Wall: 1_700_000_001.5, Step: 1 << 40, Tag: long, Value: float32(math.Inf(1))},
	}
	if got := readEvents(t, w.Path()); !reflect.DeepEqual(got, want) {
		t.Errorf("events\n%+v\nwant\n%+v", got, want)
	}
}

// The first record equals that of TensorFlow's own writer, so that the decoder above cannot have
// the same mistake as the encoder: tensorboard 2.21.0, RecordWriter on Event(wall_time=1.0,
// file_version="brain.Event:2").
func TestFirstRecordMatchesTensorBoard(t *testing.T) {
	w, err := tfevents.Create(t.TempDir(), tfevents.Options{Now: func() time.Time { return time.Unix(1, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	got, err := os.ReadFile(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	const want = "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a"
	if hex.EncodeToString(got) != want {
		t.Errorf("record %x, want %s", got, want)
	}
}

func TestResumeIsANewFileThatSortsLater(t *testing.T) {
	dir := t.TempDir()
	now := func() time.Time { return time.Unix(1_700_000_000, 0) } // all in one second
	var last string
	for i := range 12 {
		w, err := tfevents.Create(dir, tfevents.Options{Resume: i > 0, ResumeStep: int64(10 * i), Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Scalar("loss", 1, int64(10*i)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if w.Path() <= last {
			t.Errorf("%s does not sort after %s", w.Path(), last)
		}
		last = w.Path()
		want := []event{
			{Wall: 1_700_000_000, Version: "brain.Event:2"},
			{Wall: 1_700_000_000, Step: int64(10 * i), Status: 1},
			{Wall: 1_700_000_000, Step: int64(10 * i), Tag: "loss", Value: 1},
		}
		if i == 0 {
			want = append(want[:1], want[2:]...)
		}
		if got := readEvents(t, w.Path()); !reflect.DeepEqual(got, want) {
			t.Errorf("file %d: events %+v, want %+v", i, got, want)
		}
	}
}

func TestFlushMakesEventsVisible(t *testing.T) {
	w, err := tfevents.Create(t.TempDir(), tfevents.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got := readEvents(t, w.Path()); len(got) != 1 {
		t.Errorf("%d events after Create, want the file version alone", len(got))
	}
	if err := w.Scalar("a", 1, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got := readEvents(t, w.Path())
	if len(got) != 2 {
		t.Fatalf("%d events after Flush, want 2", len(got))
	}
	if age := time.Since(time.Unix(0, int64(got[1].Wall*1e9))); age < -time.Minute || age > time.Minute {
		t.Errorf("the event is %v old", age)
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	w, err := tfevents.Create(dir, tfevents.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"", "\xff"} {
		if err := w.Scalar(tag, 1, 1); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("tag %q", tag)) {
			t.Errorf("tag %q: error is %v", tag, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := readEvents(t, w.Path()); len(got) != 1 {
		t.Errorf("%d events, want none of the refused", len(got))
	}
	if err := w.Close(); err == nil {
		t.Error("closing twice went unnoticed")
	}
	if _, err := tfevents.Create(filepath.Join(dir, "none"), tfevents.Options{}); err == nil || !strings.HasPrefix(err.Error(), "tfevents: ") {
		t.Errorf("missing folder: error is %v", err)
	}
	if _, err := tfevents.Create(dir, tfevents.Options{Resume: true, ResumeStep: -1}); err == nil {
		t.Error("a negative resume step was accepted")
	}
}
