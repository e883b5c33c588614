package serve

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn"
)

// replyTensors sends the requested tensors.
func (q *request) replyTensors(t *tensors, answers []answer) *Problem {
	items := q.items(answers)
	buffer := buffers.Get().(*bytes.Buffer)
	defer putBuffer(buffer)
	b := appendText(append(buffer.AvailableBuffer(), `{"model_name":`...), q.run.name)
	b = appendText(append(b, `,"model_version":`...), q.run.digest)
	if t.id != "" {
		b = appendText(append(b, `,"id":`...), t.id)
	}
	if w := warningsOf(answers); w != "" {
		b = append(appendText(append(b, `,"parameters":{"warnings":`...), w), '}')
	}
	b = append(b, `,"outputs":[`...)
	outputs := t.outputs
	if outputs == nil {
		for _, name := range q.run.reply.outputs() {
			outputs = append(outputs, output{name: name})
		}
	}
	var packed []byte
	for i, out := range outputs {
		if i > 0 {
			b = append(b, ',')
		}
		if out.packed == nil && t.packed || out.packed != nil && *out.packed {
			from := len(packed)
			packed = appendPacked(packed, out.name, items)
			b = fmt.Appendf(appendTensor(b, out.name, items), `,"parameters":{"binary_data_size":%d}}`, len(packed)-from)
			continue
		}
		b = append(appendValues(append(appendTensor(b, out.name, items), `,"data":[`...), out.name, items), "]}"...)
	}
	b = append(b, "]}"...)
	h := q.w.Header()
	h.Set("Content-Type", mediaTypes[formatJSON])
	if packed != nil {
		h.Set("Content-Type", octets)
		h.Set(headerLength, strconv.Itoa(len(b)))
	}
	h.Set("Content-Length", strconv.Itoa(len(b)+len(packed)))
	q.w.Write(b) // the client may have gone
	q.w.Write(packed)
	return nil
}

// items returns the predictions for all graphs, or for all their nodes or edges.
func (q *request) items(answers []answer) []*ehgnn.Item {
	var out []*ehgnn.Item
	for i := range answers {
		p := &answers[i].prediction
		switch q.run.reply.level {
		case ehgnn.Nodes:
			out = appendItems(out, p.Nodes)
		case ehgnn.Edges:
			out = appendItems(out, p.Edges)
		default:
			out = append(out, &p.Item)
		}
	}
	return out
}

func appendItems(to []*ehgnn.Item, items []ehgnn.Item) []*ehgnn.Item {
	for i := range items {
		to = append(to, &items[i])
	}
	return to
}

// appendTensor appends the description of an output, without its end.
func appendTensor(b []byte, name string, items []*ehgnn.Item) []byte {
	b = appendText(append(b, `{"name":`...), name)
	if name == classOutput {
		return fmt.Appendf(b, `,"datatype":"BYTES","shape":[%d]`, len(items))
	}
	width := 0
	if len(items) > 0 {
		width = len(items[0].Probabilities) + len(items[0].Values)
	}
	return fmt.Appendf(b, `,"datatype":"FP32","shape":[%d,%d]`, len(items), width)
}

// appendValues appends the values of an output as JSON.
func appendValues(b []byte, name string, items []*ehgnn.Item) []byte {
	begin := len(b)
	comma := func() {
		if len(b) > begin {
			b = append(b, ',')
		}
	}
	for _, x := range items {
		if name == classOutput {
			comma()
			b = appendText(b, x.Class)
			continue
		}
		for _, list := range [][]float64{x.Probabilities, x.Values} {
			for _, v := range list {
				comma()
				b = appendNumber(b, v)
			}
		}
	}
	return b
}

// appendPacked appends the values of an output as bytes.
func appendPacked(b []byte, name string, items []*ehgnn.Item) []byte {
	if b == nil {
		b = []byte{}
	}
	for _, x := range items {
		if name == classOutput {
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(x.Class))), x.Class...)
			continue
		}
		for _, list := range [][]float64{x.Probabilities, x.Values} {
			for _, v := range list {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			}
		}
	}
	return b
}

// warningsOf joins the warnings on a batch into one text, because parameters of the protocol cannot be lists.
func warningsOf(answers []answer) string {
	var out []string
	for _, a := range answers {
		for _, w := range a.warnings {
			out = append(out, "graph "+a.id+": "+w)
		}
	}
	return strings.Join(out, "\n")
}
