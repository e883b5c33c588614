// Package pipeline runs the visits of scale/visit on Apache Beam, and is the only importer of Beam.
package pipeline
