// Package tfevents writes TensorBoard event files with scalar summaries.
//
// An event file is a sequence of TFRecords. A record is the length of its data (8 bytes,
// little-endian), a masked CRC-32C of the length, the data, and a masked CRC-32C of the data; the
// data is an Event message of TensorFlow's event.proto. Scalars need only three of its fields and
// two of its summaries, so the messages are encoded by hand, without a protobuf library. Readers
// stop at a record that a kill left incomplete, so files need no repair.
//
// Every Create makes a new file: TensorBoard reads all event files of a folder, in the order of
// their names, as one run. A resumed run gives its first step, and TensorBoard drops the events of
// earlier files from this step on.
//
// The package does not read event files.
package tfevents

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"
)

// version is the version in the first event of every file.
const version = "brain.Event:2"

// Options are the options of Create. The zero value is right for a new run.
type Options struct {
	// Resume says that the run was resumed: events of this file replace the scalars of earlier
	// files in the folder at ResumeStep and later.
	Resume     bool
	ResumeStep int64

	// Now returns the wall time of events. nil means time.Now.
	Now func() time.Time
}

// Writer appends events to one file. It is not safe for concurrent use.
type Writer struct {
	file *os.File
	buf  *bufio.Writer
	now  func() time.Time
	msg  []byte // the event being encoded
}

// Create makes a new event file in dir, which must exist. Its name is
// events.out.tfevents.SECONDS.NNN.ehgnn: the time, and a number that distinguishes and sorts files
// of one second.
func Create(dir string, o Options) (*Writer, error) {
	if o.Resume && o.ResumeStep < 0 {
		return nil, fmt.Errorf("tfevents: %s: resume step is %d, expected 0 or more", dir, o.ResumeStep)
	}
	now := o.Now
	if now == nil {
		now = time.Now
	}
	file, err := createFile(dir, now().Unix())
	if err != nil {
		return nil, fmt.Errorf("tfevents: %w", err)
	}
	w := &Writer{file: file, buf: bufio.NewWriter(file), now: now}
	w.begin(0)
	w.msg = appendString(w.msg, fieldFileVersion, version)
	err = w.end()
	if err == nil && o.Resume {
		w.begin(o.ResumeStep)
		session := appendVarint(nil, fieldStatus, statusStart)
		w.msg = appendBytes(w.msg, fieldSessionLog, session)
		err = w.end()
	}
	if err == nil {
		err = w.Flush() // so that TensorBoard reads the file from the start
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return w, nil
}

func createFile(dir string, seconds int64) (*os.File, error) {
	for n := range 1000 {
		path := filepath.Join(dir, fmt.Sprintf("events.out.tfevents.%010d.%03d.ehgnn", seconds, n))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, fmt.Errorf("%s has 1000 event files of second %d", dir, seconds)
}

// Path returns the path of the event file.
func (w *Writer) Path() string { return w.file.Name() }

// Scalar records the value of tag at step. TensorBoard groups charts by the text before the first
// slash of a tag, as in "loss/train". Values are stored as float32, the type of the format. NaN and
// infinities are stored and shown as such.
func (w *Writer) Scalar(tag string, value float64, step int64) error {
	if tag == "" || !utf8.ValidString(tag) {
		return fmt.Errorf("tfevents: %s: tag %q is empty or not UTF-8", w.Path(), tag)
	}
	v := appendString(nil, fieldTag, tag)
	v = appendFloat(v, fieldSimpleValue, float32(value))
	summary := appendBytes(nil, fieldValue, v)
	w.begin(step)
	w.msg = appendBytes(w.msg, fieldSummary, summary)
	return w.end()
}

// begin starts an event with its wall time, in seconds, and its step.
func (w *Writer) begin(step int64) {
	t := w.now()
	wall := float64(t.Unix()) + float64(t.Nanosecond())/1e9 // UnixNano as float64 would be rounded twice
	w.msg = appendDouble(w.msg[:0], fieldWallTime, wall)
	if step != 0 { // proto3 omits zeros
		w.msg = appendVarint(w.msg, fieldStep, uint64(step))
	}
}

// end writes the event as a TFRecord.
func (w *Writer) end() error {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:8], uint64(len(w.msg)))
	binary.LittleEndian.PutUint32(head[8:], maskedCRC(head[:8]))
	w.buf.Write(head[:])
	w.buf.Write(w.msg)
	tail := binary.LittleEndian.AppendUint32(nil, maskedCRC(w.msg))
	if _, err := w.buf.Write(tail); err != nil { // bufio repeats its first error
		return fmt.Errorf("tfevents: %w", err)
	}
	return nil
}

// Flush writes all events to the operating system, so that TensorBoard can read them and a kill of
// this process does not lose them.
func (w *Writer) Flush() error {
	if err := w.buf.Flush(); err != nil {
		return fmt.Errorf("tfevents: %w", err)
	}
	return nil
}

// Close flushes and closes the file.
func (w *Writer) Close() error {
	err := w.Flush()
	if cerr := w.file.Close(); cerr != nil && err == nil {
		err = fmt.Errorf("tfevents: %w", cerr)
	}
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC returns the checksum of TFRecords: CRC-32C, rotated and shifted, because a CRC of data
// that contains CRCs is weak.
func maskedCRC(b []byte) uint32 {
	c := crc32.Checksum(b, castagnoli)
	return (c>>15 | c<<17) + 0xa282ead8
}

// Field numbers of event.proto and summary.proto.
const (
	// Event
	fieldWallTime    = 1 // double
	fieldStep        = 2 // int64
	fieldFileVersion = 3 // string
	fieldSummary     = 5 // Summary
	fieldSessionLog  = 7 // SessionLog
	// SessionLog
	fieldStatus = 1 // enum
	statusStart = 1
	// Summary
	fieldValue = 1 // repeated Value
	// Summary.Value
	fieldTag         = 1 // string
	fieldSimpleValue = 2 // float
)

// Wire types of the protobuf encoding.
const (
	wireVarint = 0
	wire64     = 1
	wireBytes  = 2
	wire32     = 5
)

func appendVarint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(append(b, byte(field<<3|wireVarint)), v)
}

func appendDouble(b []byte, field uint64, v float64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, byte(field<<3|wire64)), math.Float64bits(v))
}

func appendFloat(b []byte, field uint64, v float32) []byte {
	return binary.LittleEndian.AppendUint32(append(b, byte(field<<3|wire32)), math.Float32bits(v))
}

func appendBytes(b []byte, field uint64, v []byte) []byte {
	b = binary.AppendUvarint(append(b, byte(field<<3|wireBytes)), uint64(len(v)))
	return append(b, v...)
}

func appendString(b []byte, field uint64, v string) []byte {
	return appendBytes(b, field, []byte(v))
}
