package serve

import (
	"encoding/json"
	"net/http"

	"github.com/ehgnn/ehgnn/internal/version"
)

// The Open Inference Protocol (v2, REST), for tools such as KServe, with the binary data extension
// of Triton. Tensors are a batch of graphs: num_nodes and num_edges INT64[G]; edge_index INT64[2,E]
// with consecutive numbers for the nodes of all graphs; x FP32[N,d] and e FP32[E,d] with a column
// for each attribute in the order of the schema. Columns have numbers, codes as in the data, or
// indices of categories in the schema; null means NaN, which is allowed as well. As BYTES they are
// texts as in a table. Any datatype of numbers is read.
//
// A model has one version, the digest of its weights.

// tensorInfo describes a tensor.
type tensorInfo struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
}

// oip registers the routes of the protocol.
func (s *Server) oip(mux *http.ServeMux) {
	answer := func(of func(r *http.Request) (any, *Problem)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			v, p := of(r)
			if p != nil {
				s.refuse(w, r, p)
				return
			}
			text, err := json.Marshal(v)
			if err != nil {
				panic(err) // of texts and whole numbers
			}
			w.Header().Set("Content-Type", mediaTypes[formatJSON])
			w.Write(append(text, '\n')) // the client may have gone
		}
	}
	mux.HandleFunc("GET /v2", answer(func(*http.Request) (any, *Problem) {
		return map[string]any{"name": "ehgnn", "version": version.String(), "extensions": []string{"binary_tensor_data"}}, nil
	}))
	mux.HandleFunc("GET /v2/health/live", answer(func(*http.Request) (any, *Problem) { return map[string]bool{"live": true}, nil }))
	ready := func(r *http.Request) (any, *Problem) {
		if s.leaving.Load() {
			return nil, problemf(http.StatusServiceUnavailable, "the server is ending")
		}
		return map[string]any{"ready": true}, nil
	}
	mux.HandleFunc("GET /v2/health/ready", answer(ready))
	for _, version := range []string{"", "/versions/{v}"} {
		mux.HandleFunc("GET /v2/models/{m}"+version+"/ready", answer(func(r *http.Request) (any, *Problem) {
			l, p := s.version(r)
			if p != nil {
				return nil, p
			}
			state, p := ready(r)
			if p != nil {
				return nil, p
			}
			state.(map[string]any)["name"] = l.name
			return state, nil
		}))
		mux.HandleFunc("GET /v2/models/{m}"+version, answer(func(r *http.Request) (any, *Problem) {
			l, p := s.version(r)
			if p != nil {
				return nil, p
			}
			return l.metadata(), nil
		}))
		mux.HandleFunc("POST /v2/models/{m}"+version+"/infer", func(w http.ResponseWriter, r *http.Request) {
			if _, p := s.version(r); p != nil {
				s.refuse(w, r, p)
				return
			}
			s.do(w, r, (*request).infer)
		})
	}
}

// version returns the run that a request names. A version in the request must be that of the current
// weights.
func (s *Server) version(r *http.Request) (*loaded, *Problem) {
	l, p := s.find(r)
	if p != nil {
		return nil, p
	}
	if v := r.PathValue("v"); v != "" && v != l.digest {
		return nil, problemf(http.StatusNotFound, "model %s has no version %q, expected %s", l.name, shortened([]byte(v)), l.digest)
	}
	return l, nil
}

// metadata describes the tensors of a run.
func (l *loaded) metadata() any {
	d := newDecoder(l, l.limits)
	outputs := []tensorInfo{}
	for _, name := range l.reply.outputs() {
		if name == classOutput {
			outputs = append(outputs, tensorInfo{name, bytesType, []int{-1}})
			continue
		}
		outputs = append(outputs, tensorInfo{name, "FP32", []int{-1, max(len(l.reply.classes), len(l.reply.targets), 1)}})
	}
	return map[string]any{"name": l.name, "versions": []string{l.digest}, "platform": "ehgnn", "inputs": []tensorInfo{
		{"num_nodes", "INT64", []int{-1}}, {"num_edges", "INT64", []int{-1}}, {"edge_index", "INT64", []int{2, -1}},
		{"x", "FP32", []int{-1, len(d.nodes.list)}}, {"e", "FP32", []int{-1, len(d.edges.list)}},
	}, "outputs": outputs}
}

// classOutput is the name of the tensor of predicted classes.
const classOutput = "class"

// outputs lists the names of the output tensors of a run.
func (r *replyNames) outputs() []string {
	switch {
	case r.numbers:
		return []string{"values"}
	case r.classes != nil:
		return []string{"probabilities", classOutput}
	}
	return []string{"probabilities"}
}
