package tablefile

import (
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// arrowStream reads the messages of a stream one after another.
type arrowStream struct {
	t      *TypedFile
	in     *io.SectionReader
	reader *ipc.Reader
}

func newArrowStream(t *TypedFile) (s *arrowStream, err error) {
	s = &arrowStream{t: t, in: t.Section()}
	messages := &checkedMessages{ipc.NewMessageReader(s.in, arrowLimits(t)...), s}
	s.reader, err = ipc.NewReaderFromMessageReader(messages, arrowLimits(t)...)
	return s, err
}

func (s *arrowStream) schema() *arrow.Schema { return s.reader.Schema() }

// checkedMessages checks each message before it is decoded.
type checkedMessages struct {
	ipc.MessageReader
	s *arrowStream
}

// Message implements ipc.MessageReader.
func (c *checkedMessages) Message() (*ipc.Message, error) {
	if err := c.s.check(); err != nil {
		return nil, err
	}
	return c.MessageReader.Message()
}

// check checks the next message without consuming it.
func (s *arrowStream) check() error {
	at, err := s.in.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if at == s.t.size {
		return io.EOF // a stream may end without a mark
	}
	var head [4]byte
	word := func() (uint32, error) {
		if _, err := s.t.at.ReadAt(head[:], at); err != nil {
			return 0, noEOF(err)
		}
		at += 4
		return binary.LittleEndian.Uint32(head[:]), nil
	}
	n, err := word()
	if err == nil && n == continuation {
		n, err = word()
	}
	if err != nil || n == 0 {
		return err
	}
	if n > math.MaxInt32 || int64(n) > s.t.size-at {
		return errMessage
	}
	if err := s.t.memory.allows(int64(n)); err != nil {
		return err
	}
	b := make([]byte, n)
	if _, err := s.t.at.ReadAt(b, at); err != nil {
		return noEOF(err)
	}
	at += int64(n)
	_, err = checkMessage(b, io.NewSectionReader(s.t.at, at, s.t.size-at))
	return err
}

// noEOF is the error of an unexpected end.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Next implements Batches.
func (s *arrowStream) Next() (arrow.RecordBatch, error) { return s.reader.Read() }

// share is the approximate share of the file that has been read.
func (s *arrowStream) share() float64 {
	at, err := s.in.Seek(0, io.SeekCurrent)
	if err != nil || s.t.size == 0 {
		return 0
	}
	return float64(at) / float64(s.t.size)
}

// Close implements Batches.
func (s *arrowStream) Close() { s.reader.Release() }
